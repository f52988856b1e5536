#!/bin/bash
# Adds the commands that are programs of their own, such as `descant library`, to the completions of `descant` for a shell. Those programs have
# completions of their own, which are used for what follows.
#
# Usage: Scripts/complete-programs.sh SHELL COMMAND=DESCRIPTION... < COMPLETIONS > COMPLETED
set -euo pipefail
shell=$1
shift
commands=("${@%%=*}")
alternatives=$(IFS='|'; echo "${commands[*]}")

case $shell in
    bash)
        # The function that bash calls becomes one that looks for these commands first.
        sed 's/^_descant() {/__descant_commands() {/'
        cat <<EOF

_descant() {
    if [[ "\${COMP_CWORD}" -lt 2 || ! "\${COMP_WORDS[1]}" =~ ^($alternatives)\$ ]]; then
        __descant_commands "\${@}"
        if [[ "\${COMP_CWORD}" -eq 1 ]]; then COMPREPLY+=(\$(compgen -W '${commands[*]}' -- "\${2}")); fi
        return
    fi
    local -r program="descant-\${COMP_WORDS[1]}"
    declare -F "_\${program}" >/dev/null || source "\${BASH_SOURCE[0]%/*}/\${program}" || return
    local -r line="\${program}\${COMP_LINE#*"\${COMP_WORDS[1]}"}"
    COMP_POINT="\$((COMP_POINT + \${#line} - \${#COMP_LINE}))"
    COMP_LINE="\${line}"
    COMP_WORDS=("\${program}" "\${COMP_WORDS[@]:2}")
    COMP_CWORD="\$((COMP_CWORD - 1))"
    "_\${program}" "\${program}" "\${2}" "\${3}"
}
EOF
        ;;
    zsh)
        # The first list of commands and the first choice among them are those of the program itself.
        awk -v alternatives="$alternatives" -v descriptions="$(printf "            '%s'\n" "${@/=/:}")" '
            /^            .help:/ && !isListed { print descriptions; isListed = 1 }
            { print }
            /^        case "\${words\[1\]}" in/ && !isChosen {
                print "        " alternatives ")"
                print "            words[1]=\"descant-${words[1]}\""
                print "            \"_${words[1]}\" && ret=0"
                print "            ;;"
                isChosen = 1
            }'
        ;;
    fish)
        # What the program itself offers is offered in front of these commands only.
        sed '/^function __descant_should_offer_completions_for/a\    __descant_is_program; and return 1'
        cat <<EOF

function __descant_is_program
    set -l words (commandline -opc)
    test (count \$words) -ge 2; and contains -- \$words[2] ${commands[*]}
end

complete -c 'descant' -n __descant_is_program -fa '(complete -C (string replace -r "^.*?\s($alternatives)\s" "descant-\\\$1 " -- (commandline -cp)))'
EOF
        for command in "$@"; do
            printf "complete -c 'descant' -n '%s' -fa '%s' -d '%s'\n" \
                '__descant_should_offer_completions_for_positional "descant" -eq 1' "${command%%=*}" "${command#*=}"
        done
        ;;
esac
