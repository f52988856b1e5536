internal import DescantCore
