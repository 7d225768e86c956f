// Finds updates of npm packages. It runs in a job, by Node alone, and uses npm, which runs nothing of any package: npm works in a
// folder with nothing but copies of manifests, and so never reads a configuration of the repository.
'use strict';

const { spawn } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} = require('node:fs');
const { tmpdir } = require('node:os');
const { delimiter, dirname, join, posix } = require('node:path');
const { gunzipSync, gzipSync } = require('node:zlib');

const seconds = 1_000;
const limits = {
  git: 60 * seconds,
  view: 60 * seconds,
  install: 600 * seconds,
  output: 256 * 1024 * 1024,
  manifests: 5_000,
  manifestBytes: 20 * 1024 * 1024,
  /** Of the result: its characters, and its bytes before compression. The server refuses more. */
  result: 900_000,
  content: 16 * 1024 * 1024,
  /** The server refuses more of these. */
  results: 100,
  dependencies: 1_000,
  skipped: 1_000,
  parallel: 6,
};

const fields = ['dependencies', 'devDependencies', 'optionalDependencies'];
const packageName = /^(?:@[\w~-][\w.~-]*\/)?[\w~][\w.~-]*$/;
const versionText = /^[\w.+!~-]{1,200}$/;

class Skip extends Error {}

/** Lists of items by a key. (Map.groupBy is newer than the Node.js of some runners.) */
function groupBy(items, keyOf) {
  const groups = new Map();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

// --- The request and the result ----------------------------------------------------------------------------------------------

function readRequest() {
  let text = '';
  for (let part = 1; process.env[`DEPENDENCY_BOT_REQUEST_${part}`]; part++) text += process.env[`DEPENDENCY_BOT_REQUEST_${part}`];
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString());
}

const encode = (response) => gzipSync(JSON.stringify(response)).toString('base64');

/** Writes the output of the job. Results that don't fit are skipped. */
function writeResponse({ results, skipped }) {
  const fits = (response) =>
    Buffer.byteLength(JSON.stringify(response)) <= limits.content && encode(response).length * 1.02 <= limits.result;
  const kept = [];
  const left = skipped.slice(0, limits.skipped);
  for (const result of results) {
    if (fits({ results: [...kept, result], skipped: left })) kept.push(result);
    else left.push({ name: result.dependencies[0].name, reason: 'The change is too large for the result of a job' });
  }
  // Runners read this file line by line, and some of them only lines of less than 64 KiB.
  const lines = encode({ results: kept, skipped: left }).match(/.{1,4096}/g);
  const end = `END_${randomUUID()}`;
  appendFileSync(process.env.GITHUB_OUTPUT, `result<<${end}\n${lines.join('\n')}\n${end}\n`);
  console.log(`${kept.length} updates, ${left.length} left out`);
}

/** A reason in one line, without what may be a secret. */
const plain = (text) =>
  text
    .replaceAll(/\/\/[^/@\s]*@/g, '//')
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .slice(0, 500) || 'npm failed';

// --- Programs ----------------------------------------------------------------------------------------------------------------

const scratch = mkdtempSync(join(tmpdir(), 'dependency-bot-npm-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
const home = join(scratch, 'home');
mkdirSync(home);

/** Programs get what they need of the environment: no token of the job, and no files by which it changes the job. */
const passed =
  /^(?:PATH|LANG|(?:https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|NPM_CONFIG_(?:USERCONFIG|GLOBALCONFIG|REGISTRY))$/i;
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name))),
  HOME: home,
  TMPDIR: scratch,
};

/** Runs a program without a shell, with a time limit for it and all that it starts. */
function run(program, args, { cwd, env, input = '', timeout }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const end = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    const timer = setTimeout(() => {
      end();
      reject(new Skip(`${args[0]} took more than ${timeout / seconds} seconds`));
    }, timeout);
    const chunks = { stdout: [], stderr: [] };
    let size = 0;
    for (const stream of ['stdout', 'stderr'])
      child[stream].on('data', (chunk) => {
        size += chunk.length;
        if (size <= limits.output) chunks[stream].push(chunk);
        else end();
      });
    child.stdin.on('error', () => undefined); // a program may end without reading its input
    child.stdin.end(input);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      end();
      const result = { code, stdout: Buffer.concat(chunks.stdout), stderr: Buffer.concat(chunks.stderr).toString() };
      if (size > limits.output) reject(new Skip('A program printed too much'));
      else resolve(result);
    });
  });
}

// --- Git ---------------------------------------------------------------------------------------------------------------------

const repository = process.env.DEPENDENCY_BOT_DIRECTORY;

async function git(args, { input, index } = {}) {
  const env = {
    ...environment,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_INDEX_FILE: index ?? join(scratch, 'index'),
  };
  const { code, stdout, stderr } = await run('git', ['-C', repository, ...args], {
    cwd: scratch,
    env,
    input,
    timeout: limits.git,
  });
  if (code !== 0) throw new Error(`git ${args[0]}: ${plain(stderr)}`);
  return stdout;
}

/** The files of the commit by their paths. Links and submodules are none. */
async function listFiles() {
  const files = new Map();
  for (const entry of (await git(['ls-tree', '-r', '-z', '--full-tree', 'HEAD'])).toString().split('\0')) {
    const [, mode, oid, path] = /^(100\d{3}) blob ([\da-f]+)\t(.*)$/s.exec(entry) ?? [];
    if (path !== undefined) files.set(path, { mode, oid });
  }
  return files;
}

/** The text of a file. Other encodings than UTF-8 would be changed by an edit. */
async function readFile({ oid }) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await git(['cat-file', 'blob', oid]));
  } catch (error) {
    throw error instanceof TypeError ? new Skip('A manifest or lock file is not in UTF-8') : error;
  }
}

/**
 * The patch that gives files of the commit other texts. It is made in an index of its own, so that nothing of the working tree is
 * read or written.
 */
async function makePatch(files, texts) {
  await git(['read-tree', 'HEAD']);
  for (const [path, text] of texts) {
    const oid = (await git(['hash-object', '-w', '--stdin'], { input: text })).toString().trim();
    const mode = files.get(path)?.mode ?? '100644';
    await git(['update-index', '-z', '--index-info'], { input: `${mode} ${oid}\t${path}\0` });
  }
  const options = ['--binary', '--full-index', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
  return (
    await git(['diff', '--cached', ...options, '--src-prefix=a/', '--dst-prefix=b/', 'HEAD', '--', ...texts.keys()])
  ).toString();
}

// --- npm ---------------------------------------------------------------------------------------------------------------------

/** The program of npm. A wrapper of it isn't run, since some wrappers load what a manifest names. */
function findNpm() {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const beside = join(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const linked = folders
    .map((folder) => join(folder, 'npm'))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file));
  const installed = folders.map((folder) => join(folder, '../lib/node_modules/npm/bin/npm-cli.js'));
  const found = [...linked.filter((file) => file.endsWith('npm-cli.js')), beside, ...installed].find((file) => existsSync(file));
  if (!found) throw new Error('The runner has no npm');
  return realpathSync(found);
}

const npmProgram = findNpm();
const semver = require(join(dirname(npmProgram), '../node_modules/semver'));

/** Options on the command line come before those of any file. No Git, no scripts, no shells, no other tools. */
const safety = [
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--no-progress',
  '--loglevel=error',
  `--git=${join(scratch, 'no-git')}`,
  '--allow-git=none',
  '--script-shell=/bin/false',
  '--node-options=',
  `--cache=${join(scratch, 'cache')}`,
  '--fetch-retries=2',
  '--fetch-timeout=60000',
];

let registryOptions = [];
const userFile = environment.NPM_CONFIG_USERCONFIG ?? environment.npm_config_userconfig;

const npmFailure = ({ code, stderr }) =>
  plain(
    stderr
      .split('\n')
      .map((line) => line.replace(/^npm (?:error|ERR!) ?/, ''))
      .filter((line) => line !== '' && !/^(?:A complete log|Log files|npm warn)|^code E\w+$/i.test(line))
      .slice(0, 4)
      .join(' ') || `npm ended with ${code}`,
  );

function npm(args, { cwd, timeout }) {
  // The manifest's `packageManager` names a program that wrappers of npm would load.
  const env = { ...environment, COREPACK_ENABLE_PROJECT_SPEC: '0', npm_config_ignore_scripts: 'true' };
  if (userFile === undefined) env.NPM_CONFIG_USERCONFIG = join(process.env.HOME ?? home, '.npmrc');
  const [command, ...rest] = args;
  // With a prefix, npm looks for no project in the folders above.
  const options = [`--prefix=${cwd}`, ...safety, ...registryOptions];
  return run(process.execPath, [npmProgram, command, ...options, ...rest], { cwd, env, timeout });
}

/**
 * The registries that the repository's configuration names, as options. Nothing else of that file is used: other lines of it name
 * programs, proxies and certificates. npm sends a secret only to the registry that it belongs to.
 */
function registriesIn(text) {
  const named = environment.NPM_CONFIG_REGISTRY ?? environment.npm_config_registry;
  const own = userFile !== undefined && existsSync(userFile) ? readFileSync(userFile, 'utf8') : '';
  const replaced = named !== undefined || /^registry\s*=/m.test(own);
  return text.split(/\r?\n/).flatMap((line) => {
    const [, key, url] =
      /^\s*((?:@[a-z\d~-][a-z\d._~-]*:)?registry)\s*=\s*"?(https?:\/\/[\w.:[\]-]+(?:\/[\w.~%/-]*)?)"?\s*$/i.exec(line) ?? [];
    // The job's own registry replaces the default one for a reason.
    return key === undefined || (key === 'registry' && replaced) ? [] : [`--${key}=${url}`];
  });
}

const known = new Map();

/** What the registry says of a package: its versions with their times, and which is the latest. */
function describe(name) {
  if (!known.has(name)) known.set(name, loadDescription(name));
  return known.get(name);
}

async function loadDescription(name) {
  const result = await npm(['view', '--json', '--', name, 'versions', 'time', 'dist-tags'], { cwd: home, timeout: limits.view });
  if (result.code !== 0) throw new Skip(`The registry doesn't give the versions: ${npmFailure(result)}`);
  const { versions, time = {}, 'dist-tags': tags = {} } = JSON.parse(result.stdout.toString() || '{}');
  const valid = [versions ?? []].flat().filter((version) => semver.valid(version) === version && isVersion(version));
  return { versions: valid.sort(semver.compare), time, latest: tags.latest };
}

const manifestFields = [
  'version',
  'deprecated',
  'license',
  'dependencies',
  'optionalDependencies',
  'peerDependencies',
  'peerDependenciesMeta',
  'engines',
  'os',
  'cpu',
  'libc',
  'bin',
  'funding',
  'bundleDependencies',
];

/** The entry of a lock file for a version, as the registry describes it. */
async function lockEntry(name, version) {
  const result = await npm(['view', '--json', '--', `${name}@${version}`], { cwd: home, timeout: limits.view });
  if (result.code !== 0) throw new Skip(`The registry doesn't give ${version}: ${npmFailure(result)}`);
  const manifest = [JSON.parse(result.stdout.toString())].flat().find((one) => one.version === version);
  if (typeof manifest?.dist?.tarball !== 'string') throw new Skip(`The registry doesn't give ${version}`);
  const entry = { version, resolved: manifest.dist.tarball };
  if (manifest.dist.integrity) entry.integrity = manifest.dist.integrity;
  for (const field of manifestFields) if (manifest[field] !== undefined) entry[field] = manifest[field];
  // npm looks into such packages, and lists what they bring along.
  entry.bundleDependencies ??= manifest.bundledDependencies;
  if (typeof entry.bin === 'string') entry.bin = { [name.split('/').at(-1)]: entry.bin };
  const { preinstall, install, postinstall } = manifest.scripts ?? {};
  if (preinstall ?? install ?? postinstall) entry.hasInstallScript = true;
  return entry;
}

// --- The project -------------------------------------------------------------------------------------------------------------

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
const tableOf = (value) => (isObject(value) ? value : {});

function parseManifest(path, text) {
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, ''));
    if (isObject(value)) return value;
  } catch {
    // The reason below says what is wrong.
  }
  throw new Skip(`${plain(path)} can't be read`);
}

/** A pattern of names with `*`, or of folders, where one star stays in its folder. */
function matches(pattern, text, star = '.*') {
  const source = pattern
    .split(/\*+/)
    .map((part) => part.replaceAll(/[\\^$.+?()[\]{}|]/g, '\\$&'))
    .join(star);
  // Many stars would take long to match.
  return pattern.split('*').length <= 10 && new RegExp(`^${source}$`, 'i').test(text);
}

/** The manifests and the lock file of the folder, with the manifests of its workspaces. */
async function loadProject(files, directory) {
  const folder = directory.slice(1);
  const at = (name) => posix.join(folder, name);
  const manifestPath = at('package.json');
  if (!files.has(manifestPath)) throw new Skip('The folder has no package.json');
  for (const other of ['yarn.lock', 'pnpm-lock.yaml', 'bun.lock', 'bun.lockb'])
    if (files.has(at(other))) throw new Skip(`${other} is not supported`);
  const lockPath = [at('npm-shrinkwrap.json'), at('package-lock.json')].find((path) => files.has(path));
  for (let above = folder; !lockPath && above !== ''; ) {
    above = posix.dirname(above) === '.' ? '' : posix.dirname(above);
    if (files.has(posix.join(above, 'package-lock.json')))
      throw new Skip(`The lock file is in the folder /${plain(above || ' ')}: name that folder as the directory`);
  }
  const root = parseManifest(manifestPath, await readFile(files.get(manifestPath)));
  const patterns = [Array.isArray(root.workspaces) ? root.workspaces : (tableOf(root.workspaces).packages ?? [])]
    .flat()
    .filter((pattern) => typeof pattern === 'string')
    .map((pattern) => posix.normalize(pattern).replace(/\/$/, ''));
  const prefix = folder === '' ? '' : `${folder}/`;
  const manifests = new Map();
  const copies = new Map();
  let bytes = 0;
  for (const [path, file] of files) {
    if (posix.basename(path) !== 'package.json' || /(?:^|\/)node_modules\//.test(path)) continue;
    const text = await readFile(file);
    bytes += text.length;
    if (copies.size >= limits.manifests || bytes > limits.manifestBytes) throw new Skip('The repository has too many manifests');
    copies.set(path, text);
    const below = path.startsWith(prefix) ? posix.dirname(path.slice(prefix.length)) : undefined;
    const isWorkspace = patterns.some((pattern) => matches(pattern, below ?? '', '[^/]*'));
    if (path === manifestPath || (below !== undefined && below !== '.' && isWorkspace))
      manifests.set(path, { path, text, value: parseManifest(path, text), location: below === '.' ? '' : below });
  }
  const lockText = lockPath && (await readFile(files.get(lockPath)));
  const lock = lockText === undefined ? undefined : parseManifest(lockPath, lockText);
  checkFolders({ manifests, folder, lock });
  return { folder, files, manifests, copies, lockPath, lockText, lockVersion: lock?.lockfileVersion ?? 1, lock };
}

/** Refuses folders outside of the repository: npm would read their manifests. */
function checkFolders({ manifests, folder, lock }) {
  const check = (location, path) => {
    const target = posix.normalize(posix.join(folder, location, path.replace(/^\/\/(?=\.)/, '')));
    if (/^[~/]/.test(path) || target === '..' || target.startsWith('../'))
      throw new Skip('A manifest names a folder outside of the repository');
  };
  for (const { value, location } of manifests.values())
    for (const field of [...fields, 'peerDependencies', 'overrides'])
      for (const spec of Object.values(tableOf(value[field]))) {
        const [, path] = /^(?:file|link):(.*)$/.exec(spec) ?? /^(~?\/.*|\.\.?(?:\/.*)?)$/.exec(spec) ?? [];
        if (path !== undefined) check(location, path);
      }
  for (const [path, entry] of Object.entries(tableOf(lock?.packages))) {
    check('', path);
    if (entry?.link) check('', String(entry.resolved));
  }
}

/** Writes the manifests to a new folder. Fields that choose a package manager are left out. */
function writeSandbox({ folder, copies, lockPath }, changed) {
  const sandbox = mkdtempSync(join(scratch, 'project-'));
  for (const [path, text] of new Map([...copies, ...changed])) {
    mkdirSync(dirname(join(sandbox, path)), { recursive: true });
    writeFileSync(join(sandbox, path), path === lockPath ? text : withoutManager(text));
  }
  return { sandbox, cwd: join(sandbox, folder) };
}

function withoutManager(text) {
  try {
    const { devEngines: _engines, packageManager: _manager, ...rest } = JSON.parse(text);
    return JSON.stringify(rest);
  } catch {
    return text;
  }
}

/** Has npm bring a lock file in line with manifests. Returns its text. */
async function resolveLock(project, changed, version) {
  const { sandbox, cwd } = writeSandbox(project, changed);
  const options = ['--package-lock-only', `--lockfile-version=${version}`];
  const result = await npm(['install', ...options], { cwd, timeout: limits.install });
  if (result.code !== 0) throw new Skip(`npm can't resolve the update: ${npmFailure(result)}`);
  const text = readFileSync(join(sandbox, project.lockPath), 'utf8');
  rmSync(sandbox, { recursive: true, force: true });
  return text;
}

// --- Lock files --------------------------------------------------------------------------------------------------------------

const modules = 'node_modules/';
const nameAt = (path, entry) => entry.name ?? path.slice(path.lastIndexOf(modules) + modules.length);

/** The path of the package that an import of `name` in a folder finds; undefined if there is none. */
function resolve(packages, from, name) {
  for (let base = from; ; ) {
    const path = base === '' ? `${modules}${name}` : `${base}/${modules}${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (base === '') return undefined;
    const last = base.lastIndexOf(`/${modules}`);
    if (base.startsWith(modules) && last < 0) base = '';
    else if (last >= 0 && base.indexOf('/', last + modules.length + 1) < 0) base = base.slice(0, last);
    else base = base.includes('/') ? base.slice(0, base.lastIndexOf('/')) : '';
  }
}

/** The range of a requirement on a registry, with the name that it gives another package; undefined for folders, Git and files. */
function rangeOf(spec) {
  const [, alias, aliased] = /^npm:((?:@[^/@]+\/)?[^/@]+)@?(.*)$/.exec(spec) ?? [];
  const range = alias === undefined ? spec : aliased;
  return semver.validRange(range) === null ? undefined : { alias, range };
}

const edgeFields = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies'];

/** What requires what in a lock file. Requirements that their package doesn't meet today are left alone. */
function edgesOf(packages) {
  const edges = [];
  for (const [from, entry] of Object.entries(packages)) {
    if (entry.link) continue;
    const isOwn = !from.includes(modules);
    for (const field of edgeFields) {
      if (field === 'devDependencies' && !isOwn) continue;
      for (const [name, spec] of Object.entries(tableOf(entry[field]))) {
        const wanted = typeof spec === 'string' ? rangeOf(spec) : undefined;
        const to = resolve(packages, from, name);
        const version = to && packages[to].version;
        const isMet = Boolean(wanted && version && semver.satisfies(version, wanted.range));
        const isOptional = field === 'optionalDependencies' || tableOf(entry.peerDependenciesMeta)[name]?.optional === true;
        edges.push({ from, isOwn, name, field, spec, to, range: wanted?.range, isMet, isRequired: !isOptional });
      }
    }
  }
  return edges;
}

/** The requirements that a lock file doesn't meet. */
const unmet = (packages) =>
  new Set(
    edgesOf(packages)
      .filter(({ to, range, isMet, isRequired }) => range && (to ? !isMet : isRequired))
      .map(keyOf),
  );
const keyOf = ({ from, field, name, spec }) => JSON.stringify([from, field, name, spec]);

const isVersion = (version) => semver.valid(version) !== null && versionText.test(version);

const instancesOf = (packages, name) =>
  Object.entries(packages).flatMap(([path, entry]) =>
    path.includes(modules) && !entry.link && nameAt(path, entry) === name && isVersion(entry.version)
      ? [{ path, entry, version: entry.version }]
      : [],
  );

const packagesIn = ({ packages }) => {
  const table = tableOf(packages);
  return Object.fromEntries(Object.entries(table).filter(([, entry]) => isObject(entry)));
};

// --- Manifests ---------------------------------------------------------------------------------------------------------------

/** A requirement that allows a version, in the form of the one before. */
function newSpec(spec, version, strategy) {
  const { alias, range } = rangeOf(spec);
  const before = alias === undefined ? '' : `npm:${alias}@`;
  const allows = semver.satisfies(version, range);
  if (strategy === 'widen') return allows ? spec : `${before}${range} || ${rangeLike(range, version)}`;
  return allows && strategy === 'if-necessary' ? spec : `${before}${rangeLike(range, version)}`;
}

function rangeLike(range, version) {
  const [major, minor] = version.split('.');
  const simple = /^\s*(\^|~|>=|=|v)?\s*v?(\d+|[x*])(\.(?:\d+|[x*]))?(\.(?:\d+|[x*]))?(?:[-+][\w.+-]+)?\s*$/i.exec(range);
  // A range of several parts becomes one that allows compatible versions.
  if (!simple) return `^${version}`;
  const [, sign = '', first, second, third] = simple;
  if (/[x*]/i.test(first)) return range;
  if (second === undefined) return `${sign}${major}`;
  if (/[x*]/i.test(second)) return `${sign}${major}${second}${third ?? ''}`;
  if (third === undefined) return `${sign}${major}.${minor}`;
  return /[x*]/i.test(third) ? `${sign}${major}.${minor}${third}` : `${sign}${version}`;
}

/** Replaces requirements in the text of a manifest, and nothing else of it. */
function editManifest(text, edits) {
  let result = text;
  for (const { field, name, spec, wanted } of edits) {
    const table = spanOf(result, field);
    const entry = table && memberIn(result, table, name, spec);
    if (!entry) throw new Skip(`The requirement of ${name} in package.json can't be changed`);
    result = result.slice(0, entry.start) + JSON.stringify(wanted) + result.slice(entry.end);
  }
  return result;
}

/** The members of an object of JSON, with the spans of their values. It expects text that is JSON. */
function* membersOf(text, start) {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gs;
  token.lastIndex = start;
  let depth = 0;
  let [name, valueStart] = [undefined, undefined];
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [piece] = match;
    if (depth === 1 && valueStart !== undefined && (piece === ',' || piece === '}')) {
      yield { name, start: valueStart, end: endOfValue(text, match.index) };
      [name, valueStart] = [undefined, undefined];
    } else if (depth === 1 && name === undefined && piece.startsWith('"')) name = JSON.parse(piece);
    else if (depth === 1 && valueStart === undefined && name !== undefined && piece !== ':') valueStart = match.index;
    if (piece === '{' || piece === '[') depth++;
    if (piece === '}' || piece === ']') depth--;
    if (depth === 0) return;
  }
}

const endOfValue = (text, before) => text.slice(0, before).trimEnd().length;

/** The last member of a name counts, as in JSON. */
const lastOf = (text, start, name) => [...membersOf(text, start)].findLast((member) => member.name === name);
const spanOf = (text, field) => lastOf(text, text.indexOf('{'), field);

function memberIn(text, table, name, spec) {
  const member = text[table.start] === '{' ? lastOf(text, table.start, name) : undefined;
  return member && JSON.parse(text.slice(member.start, member.end)) === spec ? member : undefined;
}

// --- Vulnerable versions -----------------------------------------------------------------------------------------------------

const operators = {
  '<': (sign) => sign < 0,
  '<=': (sign) => sign <= 0,
  '>': (sign) => sign > 0,
  '>=': (sign) => sign >= 0,
  '=': (sign) => sign === 0,
};

/** Whether a version is in a range of an advisory: `>= 1.0.0, < 1.2.3 || = 2.0.0`. */
const inAdvisory = (version, range) =>
  range.split('||').some((part) =>
    part.split(',').every((bound) => {
      const [, operator = '=', other = ''] = /^\s*([<>]=?|==?)?\s*v?(\S+)\s*$/.exec(bound) ?? [];
      const parsed = semver.parse(other) ?? semver.coerce(other);
      // A bound that can't be read includes every version, so that none is taken for safe.
      return !parsed || operators[operator === '==' ? '=' : operator](semver.compare(version, parsed));
    }),
  );

const isRelease = (version) => semver.prerelease(version) === null;
const valid = (version) => semver.valid(version) ?? semver.valid(semver.coerce(version));

/** The versions that mend what is vulnerable in one, the smallest first; undefined if it isn't vulnerable. */
function mendingVersions(advisories, version, versions) {
  const matching = advisories.filter(({ vulnerable }) => vulnerable.some((range) => inAdvisory(version, range)));
  if (matching.length === 0) return undefined;
  return versions.filter(
    (one) =>
      isRelease(one) &&
      semver.gt(one, version) &&
      matching.every(({ patched }) => semver.gte(one, valid(patched) ?? '999999.0.0')) &&
      !advisories.some(({ vulnerable }) => vulnerable.some((range) => inAdvisory(one, range))),
  );
}

// --- Changes -----------------------------------------------------------------------------------------------------------------

/** What changes together: new entries of the lock file, and new requirements of manifests. */
const emptyChange = () => ({ entries: new Map(), edits: [], dependencies: [] });

const typeOf = (edges) => {
  const own = edges.filter(({ isOwn }) => isOwn);
  if (own.length === 0) return 'indirect';
  return own.every(({ field }) => field === 'devDependencies') ? 'development' : 'production';
};

const dependent = (packages, { from, range }) =>
  `${nameAt(from, packages[from])} ${packages[from].version ?? ''} requires ${range}`;

/** Adds what mends one package to a change. @throws Skip that names what prevents it */
async function addMending(project, change, name, advisories) {
  const { versions } = await describe(name);
  if (!project.lock) return addMendingManifests(project, change, name, { advisories, versions });
  const packages = packagesIn(project.lock);
  const edges = edgesOf(packages);
  const vulnerable = instancesOf(packages, name).flatMap((instance) => {
    const mending = mendingVersions(advisories, instance.version, versions);
    return mending ? [{ ...instance, mending }] : [];
  });
  if (vulnerable.length === 0) throw new Skip('The lock file has no vulnerable version of it');
  for (const { path, entry, version, mending } of vulnerable) {
    if (mending.length === 0) throw new Skip(`No published version mends ${version}`);
    if (entry.inBundle)
      throw new Skip(`${plain(nameAt(path.slice(0, path.lastIndexOf(`/${modules}`)), {}))} contains ${version}`);
    const incoming = edges.filter(({ to, isMet }) => to === path && isMet);
    const fixed = incoming.filter(({ isOwn, field }) => !isOwn || field === 'peerDependencies');
    const wanted = mending.find((one) => fixed.every(({ range }) => semver.satisfies(one, range)));
    if (wanted === undefined) {
      const blocking = fixed.find(({ range }) => !semver.satisfies(mending[0], range));
      throw new Skip(blocking ? `${plain(dependent(packages, blocking))}, not ${mending[0]}` : `Nothing allows ${mending[0]}`);
    }
    await addVersion(project, change, { path, edges: incoming, name, from: version, to: wanted, strategy: 'if-necessary' });
  }
}

/** Without a lock file, manifests alone say what is used. */
function addMendingManifests(project, change, name, { advisories, versions }) {
  const found = requirementsOf(project).filter((one) => one.package === name && one.version !== undefined);
  for (const one of found) {
    const [to] = mendingVersions(advisories, one.version, versions) ?? [one.version];
    if (to === undefined) throw new Skip(`No published version mends ${one.version}`);
    if (to === one.version) continue;
    change.edits.push({ ...one, wanted: newSpec(one.spec, to, 'increase') });
    addDependency(change, { name, from: one.version, to, type: typeOf([one]) });
  }
  if (change.dependencies.length === 0) throw new Skip('No manifest requires a vulnerable version of it');
}

/** The requirements of manifests, with the smallest versions that they allow. */
function requirementsOf({ manifests }) {
  return [...manifests.values()].flatMap(({ value, location }) =>
    fields.flatMap((field) =>
      Object.entries(tableOf(value[field])).flatMap(([name, spec]) => {
        const wanted = typeof spec === 'string' ? rangeOf(spec) : undefined;
        if (!wanted) return [];
        const version = wanted.range.trim() === '' ? undefined : semver.minVersion(wanted.range)?.version;
        return [{ from: location, isOwn: true, field, name, package: wanted.alias ?? name, spec, range: wanted.range, version }];
      }),
    ),
  );
}

function addDependency(change, one) {
  const isSame = (other) => other.name === one.name && other.from === one.from && other.to === one.to;
  if (!change.dependencies.some(isSame)) change.dependencies.push(one);
}

/** Moves one package of the lock file to another version, with the requirements of manifests that name it. */
async function addVersion(project, change, { path, edges, name, from, to, strategy }) {
  const { resolved: _resolved, integrity: _integrity, ...before } = packagesIn(project.lock)[path];
  const kept = Object.fromEntries(
    ['name', 'dev', 'optional', 'devOptional', 'peer'].flatMap((flag) => (flag in before ? [[flag, before[flag]]] : [])),
  );
  change.entries.set(path, { ...kept, ...(await lockEntry(name, to)) });
  for (const edge of edges.filter(({ isOwn, field }) => isOwn && field !== 'peerDependencies')) {
    const wanted = strategy === 'lockfile-only' ? edge.spec : newSpec(edge.spec, to, strategy);
    if (wanted !== edge.spec) change.edits.push({ ...edge, wanted });
  }
  addDependency(change, { name, from, to, type: typeOf(edges) });
}

/** The texts of all files with a change. @throws Skip if npm can't resolve it, or mends something else */
async function applyChange(project, { entries, edits, dependencies }) {
  const { manifests, lock, lockPath, lockVersion } = project;
  const texts = new Map();
  for (const [path, { text, location }] of manifests) {
    const own = edits.filter(({ from }) => from === location);
    if (own.length > 0) texts.set(path, editManifest(text, own));
  }
  if (!lock) return texts;
  const packages = packagesIn(lock);
  const { dependencies: _legacy, ...rest } = lock;
  const edited = {
    ...rest,
    lockfileVersion: Math.max(lockVersion, 2),
    packages: { ...packages, ...Object.fromEntries(entries) },
  };
  const changed = new Map([...texts, [lockPath, JSON.stringify(edited, null, project.indent)]]);
  const text = await resolveLock(project, changed, Math.max(lockVersion, 2));
  const after = packagesIn(JSON.parse(text));
  const before = unmet(packages);
  const broken = [...unmet(after)].filter((key) => !before.has(key));
  if (broken.length > 0) throw new Skip('npm leaves requirements open after the update');
  for (const { name, from, to } of dependencies)
    if (!instancesOf(after, name).some(({ version }) => version === to)) throw new Skip(`npm keeps ${from}, not ${to}`);
  // The first version of lock files can't say all that was checked; npm translates it at the end.
  const final = lockVersion >= 2 ? text : await resolveLock(project, new Map([...texts, [lockPath, text]]), 1);
  texts.set(lockPath, likeBefore(project.lockText, final));
  return texts;
}

/** Line breaks as before, and a break at the end if there was one. */
function likeBefore(before, text) {
  const trimmed = `${text.trimEnd()}${before.endsWith('\n') ? '\n' : ''}`;
  return before.includes('\r\n') ? trimmed.replaceAll('\n', '\r\n') : trimmed;
}

// --- Plans -------------------------------------------------------------------------------------------------------------------

const updateType = (from, to) =>
  semver.major(from) !== semver.major(to) ? 'major' : semver.minor(from) !== semver.minor(to) ? 'minor' : 'patch';

function isIgnored({ name, version }, to, ignore) {
  return ignore.some((rule) => {
    if (!matches(rule.name, name)) return false;
    if (!rule.versions && !rule.update_types) return true;
    const byType = rule.update_types?.includes(updateType(version, to)) ?? false;
    return byType || (rule.versions ?? []).some((range) => isInRange(to, range));
  });
}

/** Ranges in the words of npm, or with commas between their parts. */
const isInRange = (version, range) => {
  const text = range.replaceAll(',', ' ');
  return semver.validRange(text) !== null && semver.satisfies(version, text, { includePrerelease: true });
};

function isAllowed({ name, type }, allow = [{ type: 'direct' }]) {
  return allow.some(
    (rule) =>
      (rule.name === undefined || matches(rule.name, name)) &&
      // A rule with a name alone is about what is required directly.
      ((rule.type ?? 'direct') === 'all' ||
        (rule.type === 'indirect'
          ? type === 'indirect'
          : type !== 'indirect' && ['direct', undefined, type].includes(rule.type))),
  );
}

const isInGroup = ({ name, type }, group) =>
  (group.patterns.length === 0 || group.patterns.some((pattern) => matches(pattern, name))) &&
  !group.exclude_patterns.some((pattern) => matches(pattern, name)) &&
  (group.dependency_type === undefined || (type === 'development') === (group.dependency_type === 'development'));

const day = 24 * 60 * 60 * seconds;

function hasCooled({ name, version }, to, published, cooldown) {
  if (!cooldown || published === undefined) return true;
  const isNamed = cooldown.include.length === 0 || cooldown.include.some((pattern) => matches(pattern, name));
  if (!isNamed || cooldown.exclude.some((pattern) => matches(pattern, name))) return true;
  return Date.parse(published) + cooldown[updateType(version, to)] * day <= Date.now();
}

/** What can be updated: each package of the lock file that a rule allows, with what requires it. */
function updatable(project, allow) {
  if (!project.lock)
    return requirementsOf(project)
      .filter(({ version }) => version !== undefined)
      .map((one) => ({ name: one.package, version: one.version, type: typeOf([one]), edges: [one] }))
      .filter((one) => isAllowed(one, allow));
  const packages = packagesIn(project.lock);
  const incoming = groupBy(
    edgesOf(packages).filter(({ isMet }) => isMet),
    ({ to }) => to,
  );
  return Object.entries(packages).flatMap(([path, entry]) => {
    const edges = incoming.get(path) ?? [];
    if (!path.includes(modules) || entry.link || entry.inBundle || edges.length === 0 || !isVersion(entry.version)) return [];
    const one = { name: nameAt(path, entry), version: entry.version, type: typeOf(edges), path, edges };
    return packageName.test(one.name) && isAllowed(one, allow) ? [one] : [];
  });
}

/** The highest version that the rules allow; undefined if it is the present one. */
async function chooseVersion(one, { ignore, cooldown, strategy }, types) {
  const { versions, time, latest } = await describe(one.name);
  const isBelowLatest = (version) => !semver.valid(latest) || semver.gt(one.version, latest) || semver.lte(version, latest);
  const isFree = one.type !== 'indirect' && strategy !== 'lockfile-only';
  return versions.findLast(
    (version) =>
      isRelease(version) &&
      semver.gt(version, one.version) &&
      isBelowLatest(version) &&
      versionText.test(version) &&
      (types === undefined || types.includes(updateType(one.version, version))) &&
      (isFree || one.edges.every(({ range }) => semver.satisfies(version, range))) &&
      !isIgnored(one, version, ignore) &&
      hasCooled(one, version, time[version], cooldown),
  );
}

/** The updates that belong together: those of each group, and each other one alone. */
async function planVersions(project, rules, skipped) {
  const groups = new Map(rules.groups.map((group) => [group.name, []]));
  const alone = new Map();
  const addAlone = (one, to) => {
    const key = JSON.stringify([one.name, to]);
    alone.set(key, [...(alone.get(key) ?? []), { ...one, to }]);
  };
  await eachOf(updatable(project, rules.allow), async (one) => {
    try {
      const group = rules.groups.find((candidate) => isInGroup(one, candidate));
      const grouped = group && (await chooseVersion(one, rules, group.update_types));
      if (grouped) groups.get(group.name).push({ ...one, to: grouped });
      const to = group && !group.update_types ? undefined : await chooseVersion(one, rules);
      // What a group doesn't take, such as a new major version, has an update of its own.
      if (to && !group?.update_types.includes(updateType(one.version, to))) addAlone(one, to);
    } catch (error) {
      addSkipped(skipped, one.name, error);
    }
  });
  const byName = (one, other) => (one.name < other.name ? -1 : 1);
  return [
    ...[...groups].filter(([, ones]) => ones.length > 0).map(([group, ones]) => ({ group, updates: ones.sort(byName) })),
    ...[...alone.values()].map((updates) => ({ updates })).sort((one, other) => byName(one.updates[0], other.updates[0])),
  ];
}

/** Does some work for several items at a time. */
async function eachOf(items, work) {
  const waiting = [...items];
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: limits.parallel }, worker));
}

function addSkipped(skipped, name, error) {
  if (!(error instanceof Skip)) throw error;
  const one = { ...(name !== undefined && packageName.test(name) ? { name } : {}), reason: plain(error.message) };
  if (!skipped.some((other) => other.name === one.name && other.reason === one.reason)) skipped.push(one);
}

const keyOfUpdate = (group, dependencies) =>
  JSON.stringify([group ?? null, ...[...new Set(dependencies.map(({ name, to }) => `${name}@${to}`))].sort()]);

/** Whether the request wants no other update than those that are open. */
const isOpen = ({ open }, group, dependencies) =>
  open.some((one) => keyOfUpdate(one.group, one.dependencies) === keyOfUpdate(group, dependencies));

async function addResult(project, { request, results }, change, group) {
  if (isOpen(request, group, change.dependencies)) return;
  if (results.length >= limits.results) throw new Skip('Further updates wait until some of these are done');
  if (change.dependencies.length > limits.dependencies) throw new Skip('The group has too many dependencies');
  const texts = await applyChange(project, change);
  const patch = await makePatch(project.files, texts);
  if (patch === '') throw new Skip('The update changes nothing');
  results.push({ ...(group === undefined ? {} : { group }), dependencies: change.dependencies, patch });
}

/** The updates that mend vulnerabilities: those of each group together, each other package alone. */
async function security(project, { request, results, skipped }) {
  const advisories = groupBy(request.security ?? [], ({ name }) => name);
  const groups = request.security_groups ?? [];
  const packages = project.lock ? packagesIn(project.lock) : {};
  const edges = edgesOf(packages);
  const groupOf = (name) => {
    const own = project.lock
      ? edges.filter(({ to }) => to && nameAt(to, packages[to]) === name)
      : requirementsOf(project).filter((one) => one.package === name);
    return groups.find((group) => isInGroup({ name, type: typeOf(own) }, group));
  };
  const together = groupBy([...advisories.keys()], (name) => groupOf(name)?.name ?? JSON.stringify([name]));
  for (const names of together.values()) {
    const group = groupOf(names[0]);
    const change = emptyChange();
    for (const name of names) {
      const one = emptyChange();
      try {
        if (!packageName.test(name)) throw new Skip('It is not the name of a package');
        await addMending(project, one, name, advisories.get(name));
        const types = one.dependencies.map(({ from, to }) => updateType(from, to));
        if (group?.update_types && !types.every((type) => group.update_types.includes(type))) {
          await addResult(project, { request, results }, one, undefined);
          continue;
        }
        addTo(change, one);
      } catch (error) {
        addSkipped(skipped, name, error);
      }
    }
    if (change.dependencies.length === 0) continue;
    try {
      await addResult(project, { request, results }, change, group?.name);
    } catch (error) {
      addSkipped(skipped, change.dependencies[0].name, error);
    }
  }
}

function addTo(change, other) {
  for (const [path, entry] of other.entries) change.entries.set(path, entry);
  change.edits.push(...other.edits);
  for (const one of other.dependencies) addDependency(change, one);
}

async function versions(project, { request, results, skipped }) {
  const rules = request.version;
  const isLibrary = [...project.manifests.values()].some(
    ({ value, location }) => location === '' && !value.private && value.version,
  );
  const strategies = { 'increase-if-necessary': 'if-necessary', auto: isLibrary ? 'widen' : 'increase' };
  const strategy = strategies[rules.strategy] ?? rules.strategy;
  for (const { group, updates } of await planVersions(project, rules, skipped)) {
    if (results.length >= rules.limit) {
      skipped.push({ reason: 'Further updates wait, since the limit of open pull requests is reached' });
      return;
    }
    const change = emptyChange();
    for (const one of updates) {
      try {
        const own = emptyChange();
        if (project.lock) await addVersion(project, own, { ...one, from: one.version, strategy });
        else {
          const [edge] = one.edges;
          const wanted = strategy === 'lockfile-only' ? edge.spec : newSpec(edge.spec, one.to, strategy);
          if (wanted === edge.spec) continue;
          own.edits.push({ ...edge, wanted });
          addDependency(own, { name: one.name, from: one.version, to: one.to, type: one.type });
        }
        addTo(change, own);
      } catch (error) {
        addSkipped(skipped, one.name, error);
      }
    }
    if (change.dependencies.length === 0) continue;
    try {
      await addResult(project, { request, results }, change, group);
    } catch (error) {
      addSkipped(skipped, change.dependencies[0].name, error);
    }
  }
}

async function main() {
  const request = readRequest();
  const response = { results: [], skipped: [] };
  try {
    const files = await listFiles();
    const configuration = files.get(posix.join(request.directory.slice(1), '.npmrc'));
    if (configuration) registryOptions = registriesIn(await readFile(configuration));
    const project = await loadProject(files, request.directory);
    if (project.lock && !isObject(project.lock.packages)) {
      // The first version of lock files doesn't say what requires what.
      const text = await resolveLock(project, new Map([[project.lockPath, project.lockText]]), 2);
      project.lock = JSON.parse(text);
    }
    project.indent = /^[{]\r?\n([ \t]+)/.exec(project.lockText ?? '')?.[1] ?? '  ';
    await (request.kind === 'security' ? security : versions)(project, { request, ...response });
  } catch (error) {
    addSkipped(response.skipped, undefined, error);
  }
  writeResponse(response);
}

main().catch((error) => {
  // Texts of the repository must not begin a line, where runners read commands.
  console.error(`The updates can't be found: ${plain(String(error?.message ?? error))}`);
  process.exitCode = 1;
});
