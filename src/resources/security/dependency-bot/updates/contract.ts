// What a job of the bot gets and returns. The server trusts nothing that it returns.

import { promisify } from 'node:util';
import { gunzip, gzipSync } from 'node:zlib';
import { type Static, Type } from 'typebox';
import { jsonReader } from '#lib/json-reader.ts';
import { fixedValue } from '#lib/limits.ts';
import { OneOf } from '#lib/shape.ts';
import { periodicYield } from '#lib/turns.ts';
import { botLimits } from '../limits.ts';

/** The ecosystems that the bot updates, with the names of the configuration file. */
export const updatedEcosystems = ['npm', 'pip', 'gomod'] as const;
export type UpdatedEcosystem = (typeof updatedEcosystems)[number];

export const versioningStrategies = ['auto', 'increase', 'increase-if-necessary', 'widen', 'lockfile-only'] as const;
export const updateTypes = ['major', 'minor', 'patch'] as const;
export const dependencyTypes = ['direct', 'indirect', 'all', 'production', 'development'] as const;

const strict = { additionalProperties: false } as const;
const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const List = <S extends Parameters<typeof Type.Array>[0]>(schema: S, maxItems: number) => Type.Array(schema, { maxItems });

/** The name of a package. Names reach branches, titles and Markdown, so that they hold nothing else. */
const Name = Type.String({ pattern: '^[\\w@.~/+-]{1,500}$' });
const Version = Type.String({ pattern: '^[\\w.+!~-]{1,200}$' });
const GroupName = Type.String({ pattern: '^[\\w./ -]{1,100}$' });
/** A pattern of names, with `*` for any text. */
const NamePattern = Text(500);
const UpdateTypes = Type.Optional(List(OneOf(updateTypes), updateTypes.length));

const Group = Type.Object(
  {
    name: GroupName,
    patterns: List(NamePattern, 1_000),
    exclude_patterns: List(NamePattern, 1_000),
    update_types: UpdateTypes,
    dependency_type: Type.Optional(OneOf(['production', 'development'])),
  },
  strict,
);

/** A vulnerable package: its smallest version that is mended, and the ranges of the advisories about it, as they write them. */
const SecurityUpdate = Type.Object({ name: Text(500), patched: Text(200), vulnerable: List(Text(100_000), 1_000) }, strict);

const Cooldown = Type.Object(
  {
    /** Days that a version has to be published, by the kind of the update. */
    major: Type.Integer({ minimum: 0, maximum: 90 }),
    minor: Type.Integer({ minimum: 0, maximum: 90 }),
    patch: Type.Integer({ minimum: 0, maximum: 90 }),
    /** Patterns of the names that wait. */
    include: List(NamePattern, 150),
    exclude: List(NamePattern, 150),
  },
  strict,
);

const VersionUpdates = Type.Object(
  {
    ignore: List(
      Type.Object({ name: NamePattern, versions: Type.Optional(List(Text(1_000), 1_000)), update_types: UpdateTypes }, strict),
      2_000,
    ),
    allow: Type.Optional(
      List(Type.Object({ name: Type.Optional(NamePattern), type: Type.Optional(OneOf(dependencyTypes)) }, strict), 1_000),
    ),
    /** A dependency is in the first group that takes it; without one, it has an update of its own. */
    groups: List(Group, 100),
    strategy: OneOf(versioningStrategies),
    cooldown: Type.Optional(Cooldown),
    /** The largest number of results. */
    limit: Type.Integer({ minimum: 0, maximum: 100 }),
  },
  strict,
);

const Request = Type.Object(
  {
    ecosystem: OneOf(updatedEcosystems),
    /** The folder of the manifests: `/`, `/web`. */
    directory: Type.String({ pattern: '^/(?:[^/\\0]+(?:/[^/\\0]+)*)?$', maxLength: 1_000 }),
    kind: OneOf(['security', 'version']),
    security: Type.Optional(List(SecurityUpdate, 1_000)),
    /** The groups of updates that mend vulnerabilities; without one, each package has an update of its own. */
    security_groups: Type.Optional(List(Group, 100)),
    version: Type.Optional(VersionUpdates),
    /** Updates that are proposed already. A job leaves out what would be equal. */
    open: List(
      Type.Object(
        {
          group: Type.Optional(GroupName),
          dependencies: List(Type.Object({ name: Text(500), to: Text(200) }, strict), 1_000),
        },
        strict,
      ),
      1_000,
    ),
  },
  strict,
);
export type UpdateRequest = Static<typeof Request>;
export type VersionRules = Static<typeof VersionUpdates>;
export type UpdateGroup = Static<typeof Group>;

const UpdatedDependency = Type.Object(
  { name: Name, from: Version, to: Version, type: OneOf(['production', 'development', 'indirect']) },
  strict,
);

const Result = Type.Object(
  {
    group: Type.Optional(GroupName),
    dependencies: Type.Array(UpdatedDependency, { minItems: 1, maxItems: 1_000 }),
    /** `git diff --binary --full-index` against the commit that was checked out. */
    patch: Type.String({ minLength: 1, pattern: '^diff --git ' }),
  },
  strict,
);

const Skipped = Type.Object({ name: Type.Optional(Name), reason: Text(1_000) }, strict);

const Response = Type.Object({ results: List(Result, 100), skipped: List(Skipped, 2_000) }, strict);
export type UpdateResponse = Static<typeof Response>;

/** A request that no job can be asked for. */
export class RequestRefused extends Error {}

/** The request as a text for a variable of the job. @throws RequestRefused if it isn't a request, or is too large */
export async function encodeRequest(request: UpdateRequest): Promise<string> {
  const { Check } = await import('typebox/value'); // loaded on demand, since most servers look for no updates
  if (!Check(Request, request)) throw new RequestRefused('The request doesn’t have the form of one');
  const text = gzipSync(JSON.stringify(request)).toString('base64');
  if (text.length > fixedValue(botLimits.requestSize)) throw new RequestRefused('The request is too large for a job');
  return text;
}

const inflate = promisify(gunzip);
const bytesPerStep = 16 * 1024;
/**
 * What a job returned, from its output `result`; undefined if it isn't what the job's script returns. Nothing of it is trusted
 * except its form: that a patch changes only manifests is checked when it is applied.
 */
export async function decodeResult(text: string): Promise<UpdateResponse | undefined> {
  const { Check } = await import('typebox/value'); // loaded on demand
  if (text.length > fixedValue(botLimits.resultSize)) return undefined;
  // The script breaks lines, since runners read files of outputs line by line.
  const encoded = text.replaceAll('\n', '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  const yieldTurn = periodicYield();
  try {
    const content = await inflate(Buffer.from(encoded, 'base64'), { maxOutputLength: fixedValue(botLimits.resultContent) });
    const reader = jsonReader({
      depth: fixedValue(botLimits.resultDepth),
      values: fixedValue(botLimits.resultValues),
      names: { depth: 'dependencyBot.resultDepth', values: 'dependencyBot.resultValues' },
    });
    for (let at = 0; at < content.length; at += bytesPerStep) {
      reader.write(content.subarray(at, at + bytesPerStep));
      await yieldTurn();
    }
    const json = reader.end();
    return json && !json.hasNul && Check(Response, json.value) ? json.value : undefined;
  } catch {
    return undefined;
  }
}

const manifestNames: Readonly<Record<UpdatedEcosystem, RegExp>> = {
  npm: /^(?:package|package-lock|npm-shrinkwrap)\.json$/,
  pip: /^[\w.-]*(?:requirements|constraints)[\w.-]*\.(?:txt|in)$/i,
  gomod: /^go\.(?:mod|sum)$/,
};

/** Files of Python of any name, in a folder for them. */
const requirementsFolder = /(?:^|\/)(?:requirements|constraints)\/[\w.-]+\.(?:txt|in)$/i;
const foreignFolder = /(?:^|\/)(?:node_modules|vendor|\.git)\//i;

/** Whether an update of an ecosystem may change a file: a manifest or a lock file. `directory` is the request's. */
export function mayChange(ecosystem: UpdatedEcosystem, directory: string, path: string): boolean {
  if (foreignFolder.test(path) || path.split('/').some((part) => ['', '.', '..'].includes(part))) return false;
  const name = path.slice(path.lastIndexOf('/') + 1);
  // Requirements include files of other folders of the repository.
  if (ecosystem === 'pip') return manifestNames.pip.test(name) || requirementsFolder.test(path);
  const folder = directory === '/' ? '' : `${directory.slice(1)}/`;
  if (!path.startsWith(folder) || !manifestNames[ecosystem].test(name)) return false;
  // Workspaces of npm are in folders below the manifest.
  return ecosystem === 'npm' || path === `${folder}${name}`;
}

/** The folder for which a file is a manifest, as a directory of a request; undefined if the file isn't one. */
export function manifestFolder(ecosystem: UpdatedEcosystem, path: string): string | undefined {
  const main: Readonly<Record<UpdatedEcosystem, boolean>> = {
    npm: /(?:^|\/)package\.json$/.test(path),
    pip: mayChange('pip', '/', path),
    gomod: /(?:^|\/)go\.mod$/.test(path),
  };
  if (!main[ecosystem] || foreignFolder.test(path)) return undefined;
  return `/${path.slice(0, Math.max(0, path.lastIndexOf('/')))}`;
}
