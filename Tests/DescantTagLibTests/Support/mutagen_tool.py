"""Makes tagged files with mutagen, and tells with it what files hold: a witness that knows nothing of Descant.

mutagen_tool.py make FOLDER     writes the files
mutagen_tool.py enrich FILE…    adds what a reader of single values leaves out: further titles and comments, lyrics with a
                                description, and a picture that is none, or one above the limit of size
mutagen_tool.py dump FILE…      prints one JSON object per line: every field, and a sum over the sound
"""
import base64, hashlib, io, json, os, struct, subprocess, sys, zlib
from mutagen.aiff import AIFF
from mutagen.dsdiff import DSDIFF
from mutagen.dsf import DSF
from mutagen.trueaudio import TrueAudio
from mutagen.apev2 import APEv2, APENoHeaderError
from mutagen.asf import ASF, ASFDWordAttribute, ASFQWordAttribute, ASFWordAttribute
from mutagen.flac import FLAC, Picture
from mutagen.id3 import (ID3, ID3NoHeaderError, APIC, COMM, GEOB, PRIV, TALB, TBPM, TCOM, TCON, TDAT, TDRC, TIME, TIT2, TPE1,
                         TPE2, TPOS, TRCK, TSO2, TSOA, TSOC, TSOP, TSOT, TXXX, TYER, UFID, USLT, POPM)
from mutagen.mp4 import MP4, Atoms, MP4Cover, MP4FreeForm
from mutagen.ogg import OggPage
from mutagen.oggflac import OggFLAC
from mutagen.oggopus import OggOpus
from mutagen.oggvorbis import OggVorbis
from mutagen.wave import WAVE
from mutagen.wavpack import WavPack


def run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


def png(number, size=8):
    """A small picture; other numbers give other ones, of random bytes behind their header."""
    def chunk(name, data):
        body = name + data
        return struct.pack('>I', len(data)) + body + struct.pack('>I', zlib.crc32(body))
    rows = b''.join(b'\0' + hashlib.sha256(bytes([number, row])).digest()[:3] * size for row in range(size))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', size, size, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


TITLE, ALBUM, ARTISTS, ALBUMARTISTS = 'Grün – 緑', 'Wald', ['Ann', 'Ben'], ['Choir']
COMPOSERS, GENRES, COMMENT, LYRICS = ['Cea', 'Dov'], ['Folk', 'Noise'], 'heard twice', 'la\nla'
FREE = {'replaygain_track_gain': '-3.21 dB', 'replaygain_track_peak': '0.988553',
        'replaygain_album_gain': '-4.50 dB', 'replaygain_album_peak': '1.000000'}
MB = {'Track Id': 'r-1', 'Release Track Id': 't-2', 'Album Id': 'a-3', 'Release Group Id': 'g-4',
      'Artist Id': 'x-5', 'Album Artist Id': 'y-6'}


def picture(number, kind, description=''):
    made = Picture()
    made.type, made.mime, made.desc, made.data = kind, 'image/png', description, png(number)
    return made


def vorbis(tags, gains=True):
    tags['title'], tags['artist'], tags['album'], tags['albumartist'] = TITLE, ARTISTS, ALBUM, ALBUMARTISTS
    tags['composer'], tags['genre'], tags['date'], tags['comment'] = COMPOSERS, GENRES, '2019-05-03', COMMENT
    tags['tracknumber'], tags['tracktotal'], tags['discnumber'], tags['disctotal'] = '7', '12', '1', '2'
    tags['bpm'], tags['lyrics'], tags['mood'], tags['Odd Key'] = '128', LYRICS, ['calm', 'wide'], 'kept'
    tags['titlesort'], tags['artistsort'], tags['albumsort'] = 'ts', 'as', 'ls'
    tags['albumartistsort'], tags['composersort'] = 'aas', 'cs'
    if gains:
        for name, value in FREE.items(): tags[name] = value
    else:
        tags['R128_TRACK_GAIN'], tags['R128_ALBUM_GAIN'] = '-2102', '-2432'
    for name, key in zip(MB, ('trackid', 'releasetrackid', 'albumid', 'releasegroupid', 'artistid', 'albumartistid')):
        tags['musicbrainz_' + key] = MB[name]


def id3(tags, version):
    wide = 3 if version == 4 else 1
    text = lambda frame, value: tags.add(frame(encoding=wide, text=value))
    text(TIT2, TITLE), text(TPE1, ARTISTS), text(TALB, ALBUM), text(TPE2, ALBUMARTISTS), text(TCOM, COMPOSERS)
    text(TCON, GENRES), text(TRCK, '7/12'), text(TPOS, '1/2'), text(TBPM, '128')
    text(TSOT, 'ts'), text(TSOP, 'as'), text(TSOA, 'ls'), text(TSO2, 'aas'), text(TSOC, 'cs')
    if version == 4: text(TDRC, '2019-05-03')
    else: text(TYER, '2019'), text(TDAT, '0305'), text(TIME, '1530')
    tags.add(COMM(encoding=0, lang='eng', desc='', text=COMMENT))
    tags.add(COMM(encoding=0, lang='eng', desc='iTunNORM', text=' 00000123 00000456'))
    tags.add(USLT(encoding=wide, lang='deu', desc='', text='lo\nlo'))
    tags.add(USLT(encoding=wide, lang='XXX', desc='', text=LYRICS))
    for name, value in FREE.items(): tags.add(TXXX(encoding=0, desc=name.upper(), text=value))
    for name, value in MB.items():
        if name != 'Track Id': tags.add(TXXX(encoding=0, desc='MusicBrainz ' + name, text=value))
    tags.add(UFID(owner='http://musicbrainz.org', data=b'r-1'))
    tags.add(UFID(owner='http://example.org', data=b'\0\1\2'))
    tags.add(TXXX(encoding=0, desc='Mood', text=['calm', 'wide']))
    tags.add(PRIV(owner='example', data=bytes(range(256))))
    tags.add(GEOB(encoding=0, mime='text/plain', filename='f', desc='d', data=b'\xff\xfb\xff\x00object'))
    tags.add(POPM(email='a@b', rating=196, count=3))
    for number, kind, word in ((1, 3, ''), (2, 4, 'back'), (3, 8, 'artist')):
        tags.add(APIC(encoding=0, mime='image/png', type=kind, desc=word, data=png(number)))


def raw_frame(name, data):
    return name + struct.pack('>I', len(data)) + b'\0\0' + data


def mp3(path, source, version):
    run('lame', '--quiet', '-b', '64', '--noreplaygain', source, path)
    tags = ID3()
    id3(tags, version)
    tags.save(path, v1=0, v2_version=version, v23_sep='\0')
    ape = APEv2()
    ape['Title'], ape['Artist'], ape['Track'], ape['Foreign'] = TITLE, ARTISTS, '7/12', ['a', 'b']
    ape['Cover Art (Back)'] = b'back.png\0' + png(9)
    ape['Binary Thing'] = bytes(range(64))
    ape.save(path)
    text = lambda value, count: value.encode('latin1', 'replace')[:count].ljust(count, b'\0')
    with open(path, 'ab') as file:
        file.write(b'TAG' + text(TITLE, 30) + text('Ann', 30) + text(ALBUM, 30) + b'2019' + text(COMMENT, 28) + b'\0\7\x50')
    if version != 3: return
    # A frame of version 2.3 that 2.4 does not have, and one that nobody knows, as mutagen writes neither.
    data = open(path, 'rb').read()
    size = int(''.join(f'{byte:07b}' for byte in data[6:10]), 2)
    extra = raw_frame(b'RVAD', b'\x03\x10' + bytes(8)) + raw_frame(b'XYZ1', b'\xff\xe0unknown\0')
    body = extra + data[10:10 + size]
    size = len(body)
    sizes = bytes(size >> shift & 0x7f for shift in (21, 14, 7, 0))
    open(path, 'wb').write(data[:6] + sizes + body + data[10 + size - len(extra):])


def old_mp3(path, source):
    """ID3v2.2, unsynchronised."""
    run('lame', '--quiet', '-b', '64', '--noreplaygain', source, path)
    sound = open(path, 'rb').read()
    frame = lambda name, data: name + struct.pack('>I', len(data))[1:] + data
    body = (frame(b'TT2', b'\1' + TITLE.encode('utf-16')) + frame(b'TAL', b'\0Wald') + frame(b'TRK', b'\x007/12')
            + frame(b'PIC', b'\0PNG\x03\0' + png(1)) + frame(b'COM', b'\0eng\0heard twice')
            + frame(b'CRM', b'foreign\0' + b'\xff\xfb\xff\x00') + bytes(64))
    body = body.replace(b'\xff\x00', b'\xff\x00\x00')
    body = b''.join(b'\xff\x00' + body[i + 1:i + 2] if body[i] == 0xff and i + 1 < len(body) and body[i + 1] >= 0xe0
                    else body[i:i + 1] if not (i > 0 and body[i - 1] == 0xff and body[i] >= 0xe0) else b''
                    for i in range(len(body)))
    sizes = bytes(len(body) >> shift & 0x7f for shift in (21, 14, 7, 0))
    open(path, 'wb').write(b'ID3\2\0\x80' + sizes + body + sound)


def flac(path, source, padding):
    run('flac', '-s', '-f', '--seekpoint=10x', source, '-o', path)
    made = FLAC(path)
    vorbis(made)
    for number, kind, word in ((1, 3, ''), (2, 4, 'back'), (3, 8, 'artist')): made.add_picture(picture(number, kind, word))
    made.save(padding=lambda info: padding)
    data = open(path, 'rb').read()
    application = b'\x02' + struct.pack('>I', 12)[1:] + b'TESTdata\0\1\2\3'
    open(path, 'wb').write(data[:4 + 38] + application + data[4 + 38:])


def m4a(path, source, front):
    run('ffmpeg', '-v', 'error', '-y', '-i', source, '-c:a', 'aac', '-b:a', '64k', *(['-movflags', '+faststart'] if front else []),
        path)
    made = MP4(path)
    made['\xa9nam'], made['\xa9ART'], made['\xa9alb'], made['aART'] = TITLE, ARTISTS, ALBUM, ALBUMARTISTS
    made['\xa9wrt'], made['\xa9gen'], made['\xa9day'], made['\xa9cmt'] = COMPOSERS, GENRES, '2019-05-03', COMMENT
    made['trkn'], made['disk'], made['tmpo'], made['\xa9lyr'] = [(7, 12)], [(1, 2)], [128], LYRICS
    made['sonm'], made['soar'], made['soal'], made['soaa'], made['soco'] = 'ts', 'as', 'ls', 'aas', 'cs'
    made['covr'] = [MP4Cover(png(number), MP4Cover.FORMAT_PNG) for number in (1, 2, 3)]
    for name, value in FREE.items(): made['----:com.apple.iTunes:' + name] = value.encode()
    for name, value in MB.items(): made['----:com.apple.iTunes:MusicBrainz ' + name] = value.encode()
    made['----:org.example:thing'] = [MP4FreeForm(b'\0\1\2', 0), MP4FreeForm(b'text', 1)]
    made['cpil'] = True
    made.save(padding=lambda info: 0 if front else 40)
    if front: return
    # An item of an unknown kind, as mutagen writes none; the movie is the last atom here.
    with open(path, 'r+b') as file:
        atoms = Atoms(file)
        file.seek(0)
        data = bytearray(file.read())
        ilst = atoms.path(b'moov', b'udta', b'meta', b'ilst')
        extra = struct.pack('>I4s', 28, b'xyz!') + struct.pack('>I4sII', 20, b'data', 99, 0) + b'\xff\0\1\2'
        for atom in ilst:
            size = struct.unpack('>I', data[atom.offset:atom.offset + 4])[0]
            data[atom.offset:atom.offset + 4] = struct.pack('>I', size + len(extra))
        end = ilst[-1].offset + ilst[-1].length
        data[end:end] = extra
        file.seek(0)
        file.write(data)


def ogg(path, source, kind, comment):
    if kind is OggVorbis: run('oggenc', '-Q', '-q', '1', source, '-o', path)
    else: run('opusenc', '--quiet', '--bitrate', '32', source, path)
    made = kind(path)
    vorbis(made, gains=kind is OggVorbis)
    made['foreign'] = 'ü' * comment
    made['metadata_block_picture'] = [
        base64.b64encode(picture(number, what, word).write()).decode()
        for number, what, word in ((1, 3, ''), (2, 4, 'back'), (3, 8, 'artist'))]
    made.save()


def chunk(name, data, big):
    return name + struct.pack('>I' if big else '<I', len(data)) + data + b'\0' * (len(data) % 2)


def riff(path, source, big):
    if big: run('ffmpeg', '-v', 'error', '-y', '-i', source, path)
    else: open(path, 'wb').write(open(source, 'rb').read())
    made = (AIFF if big else WAVE)(path)
    if made.tags is None: made.add_tags()
    id3(made.tags, 4)
    made.save()
    data = open(path, 'rb').read()
    info = b'INFO' + chunk(b'INAM', TITLE.encode() + b'\0', False) + chunk(b'ISFT', b'maker\0', False)
    extra = chunk(b'ANNO', b'a note', True) if big else chunk(b'LIST', info, False) + chunk(b'bext', bytes(99), False)
    data = data[:12] + extra + data[12:]
    open(path, 'wb').write(data[:4] + struct.pack('>I' if big else '<I', len(data) - 8) + data[8:])


def wavpack(path, source):
    run('ffmpeg', '-v', 'error', '-y', '-i', source, path)
    made = WavPack(path)
    if made.tags is None: made.add_tags()
    tags = made.tags
    tags['Title'], tags['Artist'], tags['Album'], tags['Album Artist'] = TITLE, ARTISTS, ALBUM, ALBUMARTISTS
    tags['Composer'], tags['Genre'], tags['Year'], tags['Comment'] = COMPOSERS, GENRES, '2019-05-03', COMMENT
    tags['Track'], tags['Disc'], tags['BPM'], tags['Lyrics'], tags['Foreign'] = '7/12', '1/2', '128', LYRICS, ['a', 'b']
    tags['TITLESORT'], tags['ARTISTSORT'], tags['ALBUMSORT'] = 'ts', 'as', 'ls'
    tags['ALBUMARTISTSORT'], tags['COMPOSERSORT'] = 'aas', 'cs'
    for name, value in FREE.items(): tags[name] = value
    for name, key in zip(MB, ('TRACKID', 'RELEASETRACKID', 'ALBUMID', 'RELEASEGROUPID', 'ARTISTID', 'ALBUMARTISTID')):
        tags['MUSICBRAINZ_' + key] = MB[name]
    tags['Cover Art (Front)'] = b'front.png\0' + png(1)
    made.save()


def dsd(folder):
    """Two channels of 5 ms at 2.8224 MHz; DFF with the texts of an edited master beside its ID3v2 tag."""
    sound = bytes([0x69, 0x96]) * 4096
    path = os.path.join(folder, 'tagged.dsf')
    form = b'fmt ' + struct.pack('<QIIIIIIQII', 52, 1, 0, 2, 2, 2822400, 1, 4096 * 8, 4096, 0)
    data = b'data' + struct.pack('<Q', 12 + len(sound)) + sound
    open(path, 'wb').write(b'DSD ' + struct.pack('<QQQ', 28, 28 + len(form) + len(data), 0) + form + data)
    made = DSF(path)
    made.add_tags()
    id3(made.tags, 4)
    made.save()
    chunk = lambda name, body: name + struct.pack('>Q', len(body)) + body + b'\0' * (len(body) % 2)
    text = lambda name, value: chunk(name, struct.pack('>I', len(value)) + value)
    shape = chunk(b'FS  ', struct.pack('>I', 2822400)) + chunk(b'CHNL', b'\0\2SLFTSRGT') + chunk(b'CMPR', b'DSD \x0enot compressed')
    master = chunk(b'DIIN', text(b'DITI', b'Master title') + text(b'DIAR', b'Master artist'))
    body = b'DSD ' + chunk(b'FVER', b'\1\5\0\0') + chunk(b'PROP', b'SND ' + shape) + master + chunk(b'DSD ', sound)
    for name in ('tagged.dff', 'master.dff'): open(os.path.join(folder, name), 'wb').write(chunk(b'FRM8', body))
    made = DSDIFF(os.path.join(folder, 'tagged.dff'))
    made.add_tags()
    id3(made.tags, 4)
    made.save()


def chapters(folder, source):
    """Files with chapters, as ffmpeg writes them (CHAP in ID3v2, Nero's box and a track of text in MP4, comments in Opus) and mutagen."""
    marks = os.path.join(folder, 'chapters.txt')
    with open(marks, 'w', encoding='utf-8') as file:
        file.write(';FFMETADATA1\ntitle=Book\n')
        for start, end, name in [(0, 400, 'Prologue'), (400, 1250, 'Das Meer – 海'), (1250, 1500, '')]:
            file.write(f'[CHAPTER]\nTIMEBASE=1/1000\nSTART={start}\nEND={end}\n' + (f'title={name}\n' if name else ''))
    for name in ['chapters.mp3', 'chapters.m4a', 'chapters.opus', 'track.m4a']:
        run('ffmpeg', '-v', 'error', '-y', '-i', source, '-i', marks, '-map', '0:a', '-map_metadata', '1', '-map_chapters', '1',
            *(['-movflags', 'disable_chpl'] if name == 'track.m4a' else []), os.path.join(folder, name))
    os.remove(marks)
    for name, kind in [('chapters.ogg', OggVorbis), ('chapters.flac', FLAC)]:
        path = os.path.join(folder, name)
        run('ffmpeg', '-v', 'error', '-y', '-i', source, *(['-c:a', 'libvorbis'] if kind is OggVorbis else []), path)
        made = kind(path)
        for number, time, name in [(1, '00:00:00.000', 'Prologue'), (3, '00:00:01.25', ''), (2, '00:00:00.400', 'Das Meer – 海')]:
            made[f'CHAPTER{number:03}'] = time
            if name: made[f'Chapter{number:03}Name'] = name
        made.save()


def make(folder):
    os.makedirs(folder, exist_ok=True)
    at = lambda name: os.path.join(folder, name)
    source = at('source.wav')
    run('ffmpeg', '-v', 'error', '-y', '-f', 'lavfi', '-i', 'anoisesrc=d=1.5:r=44100:a=0.3:seed=5', '-ac', '2',
        '-bitexact', source)
    mp3(at('v23.mp3'), source, 3)
    mp3(at('v24.mp3'), source, 4)
    old_mp3(at('v22.mp3'), source)
    flac(at('padded.flac'), source, 8192)
    flac(at('tight.flac'), source, 0)
    m4a(at('front.m4a'), source, True)
    m4a(at('back.m4a'), source, False)
    ogg(at('small.ogg'), source, OggVorbis, 3)
    ogg(at('big.ogg'), source, OggVorbis, 70000)
    ogg(at('small.opus'), source, OggOpus, 3)
    ogg(at('big.opus'), source, OggOpus, 70000)
    riff(at('tagged.wav'), source, False)
    riff(at('tagged.aiff'), source, True)
    wavpack(at('tagged.wv'), source)
    run('ffmpeg', '-v', 'error', '-y', '-i', source, '-c:a', 'wmav2', at('tagged.wma'))
    asf = ASF(at('tagged.wma'))
    asf['Title'], asf['Author'], asf['WM/AlbumTitle'], asf['WM/Year'] = TITLE, 'Ann', ALBUM, '2019'
    # Windows stores numbers in all sizes.
    asf['WM/TrackNumber'], asf['WM/PartOfSet'] = ASFDWordAttribute(7), ASFWordAttribute(1)
    asf['WM/BeatsPerMinute'] = ASFQWordAttribute(128)
    asf.save()
    run('flac', '-s', '-f', '--ogg', source, '-o', at('tagged.oga'))
    made = OggFLAC(at('tagged.oga'))
    made['title'] = TITLE
    made.save()
    run('ffmpeg', '-v', 'error', '-y', '-i', source, at('tagged.tta'))
    made = TrueAudio(at('tagged.tta'))
    if made.tags is None: made.add_tags()
    id3(made.tags, 4)
    made.save()
    dsd(folder)
    chapters(folder, source)
    os.remove(source)


HIDDEN = b'no picture'
HUGE = b'\x89PNG\r\n\x1a\n' + b'\7' * 10_000_000


def enrich_id3(tags, hidden):
    tags['TIT2'].text = [TITLE, 'second title']
    tags.add(COMM(encoding=0, lang='deu', desc='', text='zweite'))
    tags.delall('USLT:')
    tags.add(USLT(encoding=0, lang='deu', desc='chorus', text='lo\nlo'))
    tags.add(USLT(encoding=0, lang='XXX', desc='verse', text=LYRICS))
    tags.add(TXXX(encoding=0, desc='MUSICBRAINZ_ALBUMID', text='a-3'))
    tags.add(APIC(encoding=0, mime='image/png', type=4, desc='hidden', data=hidden))


def enrich_vorbis(tags, hidden):
    tags['title'], tags['comment'], tags['date'] = [TITLE, 'second title'], [COMMENT, 'zweite'], ['2019-05-03', '2001-02-03']
    tags['description'] = 'something else'
    made = Picture()
    made.type, made.mime, made.desc, made.data, made.width = 4, 'image/png', 'hidden', hidden, 77
    return made


def enrich(path):
    name = os.path.basename(path)
    # One file of each kind of tags has a picture that is too large for the reader.
    large = ('padded.flac', 'v24.mp3', 'back.m4a', 'big.ogg', 'tagged.wv')
    hidden = HUGE if name in large else HIDDEN
    end = name.rsplit('.', 1)[1]
    if end == 'mp3' and name.startswith('v22'): return
    if end == 'mp3':
        tags = ID3(path, translate=False)
        enrich_id3(tags, hidden)
        tags.save(path, v2_version=tags.version[1], v23_sep='\0')
    elif end in ('wav', 'aiff'):
        made = (AIFF if end == 'aiff' else WAVE)(path)
        enrich_id3(made.tags, hidden)
        made.save()
    elif end == 'flac':
        made = FLAC(path)
        made.add_picture(enrich_vorbis(made, hidden))
        made.save()
    elif end in ('ogg', 'opus'):
        made = (OggVorbis if end == 'ogg' else OggOpus)(path)
        made['metadata_block_picture'] = made['metadata_block_picture'] + [
            base64.b64encode(enrich_vorbis(made, hidden).write()).decode()]
        made.save()
    elif end == 'm4a':
        made = MP4(path)
        made['\xa9nam'] = [TITLE, 'second title']
        made['covr'] = made['covr'] + [MP4Cover(hidden, MP4Cover.FORMAT_PNG)]
        made.save()
    elif end == 'wv':
        made = WavPack(path)
        made.tags['Title'], made.tags['Cover Art (Back)'] = [TITLE, 'second title'], b'back.png\0' + hidden
        made.save()


# What a file holds.

def short(data):
    return hashlib.sha256(data).hexdigest()[:16]


def put(found, key, value):
    while key in found: key += '+'
    found[key] = value


def dump_id3(found, file, prefix='ID3v2'):
    try: tags = ID3(file, translate=False)
    except ID3NoHeaderError: return
    found[prefix] = '.'.join(map(str, tags.version))
    for key, frame in tags.items():
        text = getattr(frame, 'text', None)
        put(found, f'{prefix} {key}', '|'.join(map(str, text)) if isinstance(text, list) else text if isinstance(text, str) else
            short(repr(frame).encode()))
    for data in tags.unknown_frames: put(found, f'{prefix} unknown', short(bytes(data)))


def dump_values(found, tags, prefix):
    for key in tags.keys():
        value = tags[key]
        values = [value] if isinstance(value, str) or not isinstance(value, list) else value
        put(found, f'{prefix} {key}', '|'.join(str(v) if len(str(v)) < 200 else short(str(v).encode()) for v in values))


def dump_riff(found, path, big):
    data = open(path, 'rb').read()
    size = struct.unpack('>I' if big else '<I', data[4:8])[0]
    found['size'] = 'right' if size == len(data) - 8 else f'{size} of {len(data)}'
    position = 12
    while position + 8 <= len(data):
        name, count = data[position:position + 4], struct.unpack('>I' if big else '<I', data[position + 4:position + 8])[0]
        content = data[position + 8:position + 8 + count]
        if name.lower() == b'id3 ': dump_id3(found, io.BytesIO(content))
        elif content[:4] == b'INFO':
            inner = 4
            while inner + 8 <= count:
                length = struct.unpack('<I', content[inner + 4:inner + 8])[0]
                text = content[inner + 8:inner + 8 + length].rstrip(b'\0').decode('utf-8', 'replace')
                put(found, 'INFO ' + content[inner:inner + 4].decode(), text)
                inner += 8 + length + length % 2
        else: put(found, 'chunk ' + name.decode('latin1'), short(content))
        position += 8 + count + count % 2


def dump_ogg(found, path, kind):
    made = kind(path)
    dump_values(found, made.tags, 'Vorbis')
    numbers = {}
    with open(path, 'rb') as file:
        end = os.path.getsize(path)
        while file.tell() < end:
            start = file.tell()
            page = OggPage(file)
            stop = file.tell()
            file.seek(start)
            raw = file.read(stop - start)
            expected = numbers.get(page.serial, 0)
            if page.sequence != expected: put(found, 'page number', f'{page.sequence} for {expected}')
            numbers[page.serial] = expected + 1
            if page.write() != raw: put(found, 'page sum', str(start))


def sound_of_mp3(data):
    start = 10 + int(''.join(f'{byte:07b}' for byte in data[6:10]), 2) if data[:3] == b'ID3' else 0
    end = len(data) - (128 if data[-128:-125] == b'TAG' else 0)
    if data[end - 32:end - 24] == b'APETAGEX':
        size, flags = struct.unpack('<I', data[end - 20:end - 16])[0], struct.unpack('<I', data[end - 12:end - 8])[0]
        end -= size + (32 if flags >> 31 else 0)
    return data[start:end]


def dump(path):
    found = {}
    end = path.rsplit('.', 1)[1]
    if end == 'mp3':
        dump_id3(found, path)
        try: dump_values(found, APEv2(path), 'APE')
        except APENoHeaderError: pass
        data = open(path, 'rb').read()[-128:]
        if data[:3] == b'TAG':
            for name, start, stop in (('title', 3, 33), ('artist', 33, 63), ('album', 63, 93), ('year', 93, 97), ('comment', 97, 125),
                                      ('track', 125, 127), ('genre', 127, 128)):
                found['ID3v1 ' + name] = data[start:stop].rstrip(b'\0').decode('latin1')
    elif end == 'flac':
        made = FLAC(path)
        dump_values(found, made.tags, 'Vorbis')
        for block in made.metadata_blocks:
            if block.code not in (1, 4, 6): put(found, f'block {block.code}', short(block.write()))
        for image in made.pictures: put(found, f'picture {image.type} {image.desc}', short(image.data))
    elif end == 'm4a':
        with open(path, 'rb') as file:
            for atom in Atoms(file).path(b'moov', b'udta', b'meta', b'ilst')[-1].children or []:
                file.seek(atom.offset)
                put(found, 'raw ' + atom.name.decode('latin1'), short(file.read(atom.length)))
        made = MP4(path)
        for key in made.tags:
            put(found, f'MP4 {key}', '|'.join(short(bytes(v)) if isinstance(v, bytes) else str(v) for v in made.tags[key])
                if isinstance(made.tags[key], list) else str(made.tags[key]))
    elif end in ('ogg', 'opus'): dump_ogg(found, path, OggVorbis if end == 'ogg' else OggOpus)
    elif end in ('wav', 'aiff'): dump_riff(found, path, end == 'aiff')
    elif end == 'wv': dump_values(found, APEv2(path), 'APE')
    if end == 'mp3':
        # Here ffmpeg would take an APE tag for sound.
        found['sound'] = 'MD5=' + short(sound_of_mp3(open(path, 'rb').read()))
        return found
    sum_of = subprocess.run(['ffmpeg', '-v', 'error', '-nostdin', '-i', path, '-map', '0:a', '-c', 'copy', '-f', 'md5', '-'],
                            capture_output=True, text=True)
    found['sound'] = sum_of.stdout.strip() if sum_of.returncode == 0 else sum_of.stderr
    return found


if sys.argv[1] == 'make': make(sys.argv[2])
elif sys.argv[1] == 'enrich':
    for name in sys.argv[2:]: enrich(name)
else:
    for name in sys.argv[2:]: print(json.dumps(dump(name), ensure_ascii=False))
