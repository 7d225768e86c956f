# Finds updates of Python packages in requirements files. It runs in a job, by Python alone: it changes pinned lines, and asks the
# indexes of pip's configuration for versions. Nothing of a package is downloaded or run, and no line of a file is given to pip.
import ast
import base64
import datetime
import gzip
import html.parser
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import urllib.parse

from pip._vendor import requests
from pip._vendor.packaging.specifiers import InvalidSpecifier, SpecifierSet
from pip._vendor.packaging.utils import canonicalize_name, parse_sdist_filename, parse_wheel_filename
from pip._vendor.packaging.version import InvalidVersion, Version

GIT_SECONDS = 60
PIP_SECONDS = 60
INDEX_SECONDS = 60
OUTPUT_BYTES = 256 * 1024 * 1024
INDEX_BYTES = 64 * 1024 * 1024
FILE_BYTES = 5 * 1024 * 1024
FILES = 300
# Of the result: its characters, and its bytes before compression. The server refuses more.
RESULT_CHARACTERS = 900_000
RESULT_BYTES = 16 * 1024 * 1024
# The server refuses more of these.
RESULTS = 100
DEPENDENCIES = 1_000
SKIPPED = 1_000

# The names of files that may change. The server checks them again.
FILE_NAME = re.compile(r'[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)', re.I | re.A)
FOLDER_FILE = re.compile(r'(?:.*/)?(?:requirements|constraints)/[\w.-]+\.(?:txt|in)', re.I | re.A | re.S)
PACKAGE_NAME = re.compile(r'[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?')
VERSION = re.compile(r'[\w.+!~-]{1,200}', re.A)


class Skip(Exception):
    """A reason why something isn't updated."""


def plain(text):
    """A reason in one line, without what may be a secret."""
    text = re.sub(r'//[^/@\s]*@', '//', str(text))
    return re.sub(r'\s+', ' ', re.sub(r'[^\x20-\x7e]+', ' ', text)).strip()[:500] or 'It failed'


# --- The request and the result ---------------------------------------------------------------------------------------------


def read_request():
    text, part = '', 1
    while os.environ.get(f'DEPENDENCY_BOT_REQUEST_{part}'):
        text += os.environ[f'DEPENDENCY_BOT_REQUEST_{part}']
        part += 1
    return json.loads(gzip.decompress(base64.b64decode(text)))


def encode(response):
    return base64.b64encode(gzip.compress(json.dumps(response).encode())).decode()


def write_response(results, skipped):
    """Writes the output of the job. Results that don't fit are skipped."""
    kept, left = [], skipped[:SKIPPED]

    def fits(response):
        return len(json.dumps(response)) <= RESULT_BYTES and len(encode(response)) * 1.02 <= RESULT_CHARACTERS

    for result in results:
        if fits({'results': [*kept, result], 'skipped': left}):
            kept.append(result)
        else:
            name = result['dependencies'][0]['name']
            left.append({'name': name, 'reason': 'The change is too large for the result of a job'})
    text = encode({'results': kept, 'skipped': left})
    # Runners read this file line by line, and some of them only lines of less than 64 KiB.
    lines = '\n'.join(text[at : at + 4096] for at in range(0, len(text), 4096))
    end = f'END_{secrets.token_hex(16)}'
    with open(os.environ['GITHUB_OUTPUT'], 'a', encoding='ascii') as file:
        file.write(f'result<<{end}\n{lines}\n{end}\n')
    print(f'{len(kept)} updates, {len(left)} left out')


# --- Programs and Git -------------------------------------------------------------------------------------------------------

REPOSITORY = os.environ['DEPENDENCY_BOT_DIRECTORY']
SCRATCH = tempfile.TemporaryDirectory(prefix='dependency-bot-pip-')

# Programs get what they need of the environment: no token of the job, and no files by which it changes the job.
PASSED = re.compile(
    r'PATH|LANG|(?:https?|no|all)_proxy|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|'
    r'PIP_(?:CONFIG_FILE|INDEX_URL|EXTRA_INDEX_URL|NO_INDEX|CERT|CLIENT_CERT|PROXY|TRUSTED_HOST)',
    re.I,
)
ENVIRONMENT = {name: value for name, value in os.environ.items() if PASSED.fullmatch(name)}


def run(arguments, seconds, env, data=b''):
    """Runs a program without a shell, with a time limit for it and all that it starts."""
    process = subprocess.Popen(
        arguments,
        cwd=SCRATCH.name,
        env={**ENVIRONMENT, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(data, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise Skip(f'A program took more than {seconds} seconds') from None
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            process.poll()
    if len(output) > OUTPUT_BYTES:
        raise Skip('A program printed too much')
    return process.returncode, output, errors.decode(errors='replace')


def git(*arguments, data=b''):
    env = {
        'HOME': SCRATCH.name,
        'GIT_CONFIG_NOSYSTEM': '1',
        'GIT_CONFIG_GLOBAL': '/dev/null',
        'GIT_CONFIG_COUNT': '1',
        'GIT_CONFIG_KEY_0': 'safe.directory',
        'GIT_CONFIG_VALUE_0': '*',
        'GIT_LITERAL_PATHSPECS': '1',
        'GIT_INDEX_FILE': os.path.join(SCRATCH.name, 'index'),
    }
    code, output, errors = run(['git', '-C', REPOSITORY, *arguments], GIT_SECONDS, env, data)
    if code != 0:
        raise RuntimeError(f'git {arguments[0]}: {plain(errors)}')
    return output


def list_files():
    """The files of the commit by their paths, with mode and object. Links and submodules are none."""
    files = {}
    for entry in git('ls-tree', '-r', '-z', '--full-tree', 'HEAD').split(b'\0'):
        match = re.fullmatch(rb'(100\d{3}) blob ([\da-f]+)\t(.*)', entry, re.S)
        if match:
            files[os.fsdecode(match[3])] = (match[1].decode(), match[2].decode())
    return files


def make_patch(files, texts):
    """The patch that gives files of the commit other texts, made in an index of its own, apart from the working tree."""
    git('read-tree', 'HEAD')
    for path, text in texts.items():
        oid = git('hash-object', '-w', '--stdin', data=text.encode()).decode().strip()
        entry = f'{files[path][0]} {oid}\t'.encode() + os.fsencode(path) + b'\0'
        git('update-index', '-z', '--index-info', data=entry)
    options = ['--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames']
    paths = [os.fsencode(path) for path in texts]
    return git('diff', '--cached', *options, '--src-prefix=a/', '--dst-prefix=b/', 'HEAD', '--', *paths).decode()


# --- Indexes ----------------------------------------------------------------------------------------------------------------


def pip_settings():
    """The settings of pip that say where packages come from. Those of the environment come first."""
    env = {'HOME': os.environ.get('HOME', SCRATCH.name)}
    command = [sys.executable, '-I', '-m', 'pip', '--disable-pip-version-check', 'config', 'list']
    code, output, errors = run(command, PIP_SECONDS, env)
    if code != 0:
        raise RuntimeError(f'pip config: {plain(errors)}')
    sections = {}
    for line in output.decode(errors='replace').splitlines():
        match = re.fullmatch(r'(:env:|[\w-]+)\.([\w-]+)=(.*)', line)
        if match:
            sections.setdefault(match[1], {})[match[2]] = ast.literal_eval(match[3])
    return {**sections.get('global', {}), **sections.get('install', {}), **sections.get(':env:', {})}


class Links(html.parser.HTMLParser):
    """The files of an index that doesn't know JSON."""

    def __init__(self):
        super().__init__()
        self.files, self.open = [], None

    def handle_starttag(self, tag, attrs):
        if tag == 'a':
            values = dict(attrs)
            fragment = urllib.parse.urlsplit(values.get('href') or '').fragment
            match = re.fullmatch(r'sha256=([\da-f]{64})', fragment)
            yanked = 'data-yanked' in values
            self.open = {
                'hashes': {'sha256': match[1]} if match else {},
                'yanked': yanked,
                'requires-python': values.get('data-requires-python'),
                'filename': '',
            }

    def handle_data(self, data):
        if self.open is not None:
            self.open['filename'] += data.strip()

    def handle_endtag(self, tag):
        if tag == 'a' and self.open is not None:
            self.files.append(self.open)
            self.open = None


class Indexes:
    """The indexes of pip's configuration, and no others."""

    ACCEPT = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01'

    def __init__(self, settings):
        no_index = str(settings.get('no-index', '')).lower() in ('1', 'true', 'yes', 'on')
        own = '' if no_index else settings.get('index-url') or 'https://pypi.org/simple'
        self.urls = [url for url in [own, *str(settings.get('extra-index-url') or '').split()] if url]
        self.session = requests.Session()
        self.session.verify = settings.get('cert') or True
        self.session.cert = settings.get('client-cert')
        if settings.get('proxy'):
            self.session.proxies = {'http': settings['proxy'], 'https': settings['proxy']}
        self.trusted = set(str(settings.get('trusted-host') or '').split())
        self.known = {}

    def versions(self, name, current):
        """The versions of a package with their files: those that aren't withdrawn, and that this Python can use."""
        if name not in self.known:
            self.known[name] = [found for found in (self.load(url, name) for url in self.urls) if found]
        indexes = self.known[name]
        if not indexes:
            raise Skip('No index has it')
        # A package of the same name in another index is another one.
        same = [versions for versions in indexes if current in versions] or indexes
        joined = {}
        for versions in same:
            for version, files in versions.items():
                joined.setdefault(version, []).extend(files)
        return {version: files for version, files in joined.items() if any(is_usable(file) for file in files)}

    def load(self, url, name):
        address = f'{url.rstrip("/")}/{canonicalize_name(name)}/'
        parts = urllib.parse.urlsplit(address)
        options = {'verify': False} if parts.hostname in self.trusted or parts.netloc in self.trusted else {}
        try:
            with self.session.get(
                address, headers={'Accept': self.ACCEPT}, timeout=INDEX_SECONDS, stream=True, **options
            ) as reply:
                if reply.status_code == 404:
                    return None
                if reply.status_code != 200:
                    raise Skip(f'An index answers {reply.status_code}')
                content = b''
                for chunk in reply.iter_content(65_536):
                    content += chunk
                    if len(content) > INDEX_BYTES:
                        raise Skip('The page of an index is too large')
                kind = reply.headers.get('content-type', '')
        except requests.RequestException as error:
            # Its text holds the address, with a password.
            raise Skip(f'An index can\'t be read ({type(error).__name__})') from None
        return by_version(files_of(content, kind), name)


def files_of(content, kind):
    if 'json' in kind:
        files = json.loads(content).get('files', [])
    else:
        links = Links()
        links.feed(content.decode(errors='replace'))
        files = links.files
    return [file for file in files if isinstance(file, dict) and isinstance(file.get('filename'), str)]


def by_version(files, name):
    found = {}
    for file in files:
        try:
            filename = file['filename']
            parse = parse_wheel_filename if filename.endswith('.whl') else parse_sdist_filename
            package, version = parse(filename)[:2]
        except Exception:  # other kinds of files, and names that aren't those of a package
            continue
        if package == canonicalize_name(name):
            found.setdefault(version, []).append(file)
    return found


PYTHON = '.'.join(str(part) for part in sys.version_info[:3])


def is_usable(file):
    if file.get('yanked') not in (None, False):
        return False
    try:
        return SpecifierSet(file.get('requires-python') or '').contains(PYTHON)
    except InvalidSpecifier:
        return True


# --- Requirements files -----------------------------------------------------------------------------------------------------

# No two repetitions of blanks are neighbours, so that long lines are matched fast.
NAME = r'[ \t]*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?)[ \t]*(?:\[[^\]\n]*\][ \t]*)?'
PIN = re.compile(NAME + r'(?:\([ \t]*)?={2,3}[ \t]*(?P<version>[A-Za-z0-9.!+_-]{1,200})(?=[ \t;)\\#\r\n]|$)(?![ \t]*,)')
NAMED = re.compile(NAME + r'(?:[=<>!~(;#\\]|\r?\n|$)')
INCLUDE = re.compile(r'[ \t]*(?:-r|-c|--requirement|--constraint)[ \t]*(?:=[ \t]*)?([^\s#]+)')
HASH = re.compile(r'--hash[ =](?P<kind>\w+):(?P<value>[\da-fA-F]+)')


def logical_lines(text):
    """The lines of a file with their offsets; those that end with a backslash are joined with the next."""
    start = at = 0
    for line in text.splitlines(keepends=True):
        at += len(line)
        body = line.rstrip('\r\n')
        if body.endswith('\\') and not body.lstrip().startswith('#'):
            continue
        yield start, text[start:at]
        start = at
    if start < len(text):
        yield start, text[start:]


class Pin:
    """A pinned requirement: its name and version, and where they are in its file."""

    def __init__(self, path, start, line, match):
        self.path, self.start, self.line, self.match = path, start, line, match
        self.name = match['name']
        self.key = canonicalize_name(self.name)
        self.version = Version(match['version'])
        self.written = match['version']
        self.type = 'development' if re.search(r'dev|test', path.rsplit('/', 1)[-1], re.I) else 'production'

    def changed(self, version, files):
        """The line with another version, and with the hashes of its files if there were hashes before."""
        begin, end = self.match.span('version')
        rest = self.line[end:]
        hashes = list(HASH.finditer(rest))
        if hashes:
            values = sorted({file.get('hashes', {}).get('sha256') for file in files if is_usable(file)} - {None})
            if not values or any(one['kind'] != 'sha256' for one in hashes):
                raise Skip('The index gives no hashes of the kind that the file has')
            if not all(re.fullmatch(r'[\da-f]{64}', value) for value in values):
                raise Skip('The index gives hashes that are none')
            first, last = hashes[0].start(), hashes[-1].end()
            between = rest[hashes[0].end() : hashes[1].start()] if len(hashes) > 1 else self.space_before(rest[:first])
            rest = rest[:first] + between.join(f'--hash=sha256:{value}' for value in values) + rest[last:]
        return self.line[:begin] + str(version) + rest

    @staticmethod
    def space_before(text):
        return text[len(text.rstrip(' \t\r\n\\')) :] or ' '


def is_requirements_file(path):
    return bool(FILE_NAME.fullmatch(path.rsplit('/', 1)[-1]) or FOLDER_FILE.fullmatch(path))


class Project:
    """The requirements files of a folder, with those that they include."""

    def __init__(self, files, directory):
        self.files, self.texts, self.pins, self.unpinned = files, {}, [], set()
        self.skipped = []
        prefix = directory.strip('/') + '/' if directory != '/' else ''
        waiting = [
            path
            for path in files
            if path.startswith(prefix)
            and is_requirements_file(path)
            and '/' not in re.sub(r'^(?:requirements|constraints)/', '', path[len(prefix) :], flags=re.I)
        ]
        if not waiting:
            raise Skip('The folder has no requirements file')
        while waiting and len(self.texts) < FILES:
            path = waiting.pop(0)
            if path not in self.texts:
                waiting.extend(self.read(path))

    def read(self, path):
        content = git('cat-file', 'blob', self.files[path][1])
        try:
            text = content.decode()
        except UnicodeDecodeError:
            text = None
        self.texts[path] = text or ''
        if text is None or len(content) > FILE_BYTES:
            self.skipped.append({'reason': plain(f'{path} can\'t be read')})
            self.texts[path] = ''
            return []
        included = []
        for start, line in logical_lines(text):
            include = INCLUDE.match(line)
            pin = PIN.match(line)
            if include:
                included.extend(self.included(path, include[1]))
            elif pin:
                self.add(path, start, line, pin)
            elif NAMED.match(line):
                self.unpinned.add(canonicalize_name(NAMED.match(line)['name']))
        return included

    def add(self, path, start, line, match):
        try:
            self.pins.append(Pin(path, start, line, match))
        except InvalidVersion:
            self.unpinned.add(canonicalize_name(match['name']))

    def included(self, path, target):
        """Files of the repository alone, with names of such files. Addresses aren't followed."""
        if re.match(r'\w+:', target):
            return []
        found = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if found not in self.files:
            return []
        if not is_requirements_file(found):
            self.skipped.append({'reason': plain(f'{found} does not have the name of a requirements file')})
            return []
        return [found]

    def texts_with(self, changes):
        """The texts of the files with changed lines, each of them by its pin."""
        texts = {}
        for pin, line in sorted(changes, key=lambda change: -change[0].start):
            text = texts.get(pin.path, self.texts[pin.path])
            texts[pin.path] = text[: pin.start] + line + text[pin.start + len(pin.line) :]
        return texts


# --- Vulnerable versions ----------------------------------------------------------------------------------------------------

OPERATORS = {
    '<': lambda one, other: one < other,
    '<=': lambda one, other: one <= other,
    '>': lambda one, other: one > other,
    '>=': lambda one, other: one >= other,
    '=': lambda one, other: one == other,
    '==': lambda one, other: one == other,
}


def in_advisory(version, text):
    """Whether a version is in a range of an advisory: `>= 1.0, < 1.2 || = 2.0`."""
    return any(all(in_bound(version, bound) for bound in part.split(',')) for part in text.split('||'))


def in_bound(version, bound):
    match = re.fullmatch(r'\s*([<>]=?|==?)?\s*(\S+)\s*', bound)
    try:
        return OPERATORS[match[1] or '='](version, Version(match[2]))
    except (InvalidVersion, TypeError):
        # A bound that can't be read includes every version, so that none is taken for safe.
        return True


def mending_version(advisories, version, versions):
    """The smallest version that mends a vulnerable one; the version itself if it isn't vulnerable."""
    matching = [one for one in advisories if any(in_advisory(version, text) for text in one['vulnerable'])]
    if not matching:
        return version
    patched = [Version(one['patched']) for one in matching]
    for candidate in sorted(versions):
        if candidate.is_prerelease or candidate <= version or any(candidate < one for one in patched):
            continue
        if not any(in_advisory(candidate, text) for one in advisories for text in one['vulnerable']):
            return candidate
    raise Skip(f'No published version mends {version}')


# --- Rules of version updates -----------------------------------------------------------------------------------------------


def matches(pattern, text):
    parts = pattern.lower().split('*')
    # Many stars would take long to match.
    return len(parts) <= 10 and re.fullmatch('.*'.join(re.escape(part) for part in parts), text.lower(), re.S) is not None


def matches_name(pattern, name):
    return matches(pattern, name) or matches(pattern.replace('_', '-').replace('.', '-'), canonicalize_name(name))


def update_type(before, after):
    if (before.epoch, before.major) != (after.epoch, after.major):
        return 'major'
    return 'minor' if before.minor != after.minor else 'patch'


def in_range(version, text):
    """Whether a version is in a range of the configuration: `>= 2, < 3`, `2.x`, `~> 2.1`, `1.0 || 1.1`."""
    for part in text.split('||'):
        part = re.sub(r'~>\s*', '~=', part.strip())
        part = re.sub(r'^={0,2}\s*v?(\d+(?:\.\d+)*)\.[x*]$', r'==\1.*', part)
        part = re.sub(r'^=?\s*(\d)', r'==\1', part)
        part = re.sub(r'^~=\s*(\d+)$', r'==\1.*', part)
        part = re.sub(r'(?<=[\d.*])\s+(?=[<>=!])', ',', part)
        try:
            if SpecifierSet(part, prereleases=True).contains(version):
                return True
        except InvalidSpecifier:
            continue
    return False


def is_ignored(name, before, after, ignore):
    for rule in ignore:
        if not matches_name(rule['name'], name):
            continue
        if 'versions' not in rule and 'update_types' not in rule:
            return True
        if update_type(before, after) in rule.get('update_types', []):
            return True
        if any(in_range(after, text) for text in rule.get('versions', [])):
            return True
    return False


def is_allowed(name, kind, allow):
    # All lines of requirements files are direct requirements.
    return any(
        ('name' not in rule or matches_name(rule['name'], name))
        and rule.get('type', 'direct') in ('direct', 'all', kind)
        for rule in (allow if allow is not None else [{}])
    )


def is_in_group(name, kind, group):
    return (
        (not group['patterns'] or any(matches_name(pattern, name) for pattern in group['patterns']))
        and not any(matches_name(pattern, name) for pattern in group['exclude_patterns'])
        and group.get('dependency_type', kind) == kind
    )


def has_cooled(name, before, after, files, cooldown):
    times = [file.get('upload-time') for file in files if isinstance(file.get('upload-time'), str)]
    if not cooldown or not times:
        return True
    if cooldown['include'] and not any(matches_name(pattern, name) for pattern in cooldown['include']):
        return True
    if any(matches_name(pattern, name) for pattern in cooldown['exclude']):
        return True
    published = datetime.datetime.fromisoformat(min(times)[:19] + '+00:00')
    age = datetime.datetime.now(datetime.timezone.utc) - published
    return age >= datetime.timedelta(days=cooldown[update_type(before, after)])


# --- Updates ----------------------------------------------------------------------------------------------------------------


class Updates:
    def __init__(self, request, project, indexes):
        self.request, self.project, self.indexes = request, project, indexes
        self.results, self.skipped = [], list(project.skipped)
        self.by_name = {}
        for pin in project.pins:
            self.by_name.setdefault(pin.key, []).append(pin)

    def skip(self, name, error):
        one = {'reason': plain(error)}
        if name is not None and PACKAGE_NAME.fullmatch(name):
            one['name'] = name
        if one not in self.skipped:
            self.skipped.append(one)

    @staticmethod
    def type_of(pins):
        return 'development' if all(pin.type == 'development' for pin in pins) else 'production'

    def change(self, name, choose):
        """The changed lines of one package, and what they say. `choose` gives the version for one pin, or the same one."""
        lines, dependencies = [], []
        for pin in self.by_name.get(name, []):
            versions = self.indexes.versions(name, pin.version)
            to = choose(pin, versions)
            if to is None or to <= pin.version:
                continue
            lines.append((pin, pin.changed(to, versions[to])))
            one = {'name': pin.name, 'from': pin.written, 'to': str(to), 'type': self.type_of(self.by_name[name])}
            if not any((one['from'], one['to']) == (other['from'], other['to']) for other in dependencies):
                dependencies.append(one)
        return lines, dependencies

    def is_open(self, group, dependencies):
        def key(group, dependencies):
            return group, frozenset((canonicalize_name(one['name']), one['to']) for one in dependencies)

        wanted = key(group, dependencies)
        return any(key(one.get('group'), one['dependencies']) == wanted for one in self.request['open'])

    def add(self, group, changes):
        lines = [line for one in changes for line in one[0]]
        dependencies = [dependency for one in changes for dependency in one[1]]
        if not dependencies or self.is_open(group, dependencies):
            return
        if len(self.results) >= RESULTS:
            self.skip(dependencies[0]['name'], 'Further updates wait until some of these are done')
            return
        if len(dependencies) > DEPENDENCIES:
            self.skip(dependencies[0]['name'], 'The group has too many dependencies')
            return
        patch = make_patch(self.project.files, self.project.texts_with(lines))
        result = {'dependencies': dependencies, 'patch': patch}
        self.results.append(result if group is None else {'group': group, **result})

    def security(self):
        advisories = {}
        for one in self.request.get('security', []):
            advisories.setdefault(canonicalize_name(one['name']), []).append(one)
        groups = {}
        for name, own in advisories.items():
            try:
                group, change = self.mend(name, own)
                groups.setdefault(group or ('', name), []).append(change)
            except (Skip, InvalidVersion) as error:
                self.skip(name, error)
        for group, changes in groups.items():
            self.add(group if isinstance(group, str) else None, changes)

    def mend(self, name, advisories):
        pins = self.by_name.get(name)
        if not pins:
            raise Skip('It is not pinned by `==`' if name in self.project.unpinned else 'No requirements file names it')
        change = self.change(name, lambda pin, versions: mending_version(advisories, pin.version, versions))
        if not change[1]:
            raise Skip('No requirements file has a vulnerable version of it')
        kind = self.type_of(pins)
        group = next((one for one in self.request.get('security_groups', []) if is_in_group(name, kind, one)), None)
        kinds = {update_type(Version(one['from']), Version(one['to'])) for one in change[1]}
        if group and not kinds <= set(group.get('update_types', kinds)):
            group = None
        return group and group['name'], change

    def choose(self, rules, types):
        def choose(pin, versions):
            for version in sorted(versions, reverse=True):
                if version <= pin.version:
                    return None
                if (
                    not version.is_prerelease
                    and VERSION.fullmatch(str(version))
                    and (types is None or update_type(pin.version, version) in types)
                    and not is_ignored(pin.key, pin.version, version, rules['ignore'])
                    and has_cooled(pin.key, pin.version, version, versions[version], rules.get('cooldown'))
                ):
                    return version
            return None

        return choose

    def versions(self):
        rules = self.request['version']
        grouped, alone = {group['name']: [] for group in rules['groups']}, []
        for name, pins in sorted(self.by_name.items()):
            kind = self.type_of(pins)
            if rules['strategy'] == 'lockfile-only' or not is_allowed(name, kind, rules.get('allow')):
                continue
            group = next((one for one in rules['groups'] if is_in_group(name, kind, one)), None)
            try:
                if group:
                    change = self.change(name, self.choose(rules, group.get('update_types')))
                    if change[1]:
                        grouped[group['name']].append(change)
                types = group.get('update_types') if group else []
                if types is None:
                    continue
                # What a group doesn't take, such as a new major version, has an update of its own.
                change = self.change(name, self.choose(rules, None))
                kinds = {update_type(Version(one['from']), Version(one['to'])) for one in change[1]}
                if change[1] and not kinds <= set(types):
                    alone.append(change)
            except Skip as error:
                self.skip(name, error)
        planned = [(group, changes) for group, changes in grouped.items() if changes] + [(None, [one]) for one in alone]
        for group, changes in planned:
            if len(self.results) >= rules['limit']:
                self.skip(None, 'Further updates wait, since the limit of open pull requests is reached')
                return
            self.add(group, changes)


def main():
    request = read_request()
    try:
        project = Project(list_files(), request['directory'])
        updates = Updates(request, project, Indexes(pip_settings()))
        updates.security() if request['kind'] == 'security' else updates.versions()
        write_response(updates.results, updates.skipped)
    except Skip as error:
        write_response([], [{'reason': plain(error)}])


if __name__ == '__main__':
    try:
        main()
    except Exception as error:
        # Texts of the repository must not begin a line, where runners read commands.
        print(f'The updates can\'t be found: {type(error).__name__} {plain(error)}', file=sys.stderr)
        sys.exit(1)
