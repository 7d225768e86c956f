import { registerHooks } from 'node:module';

type ParserPackage = typeof import('@actions/workflow-parser') & {
  readonly parseDocument: typeof import('yaml')['parseDocument'];
};

/**
 * Loads the parser of workflow files at its first use, since it takes a tenth of a second. Its modules import JSON as bundlers allow it,
 * without saying so; Node wants the type of such an import, which is added here.
 */
export function loadParser(): Promise<ParserPackage> {
  loaded ??= importParser();
  return loaded;
}

let loaded: Promise<ParserPackage> | undefined;

async function importParser(): Promise<ParserPackage> {
  const hooks = registerHooks({
    load: (url, context, next) => next(url, schemaFile.test(url) ? { ...context, importAttributes: { type: 'json' } } : context),
  });
  try {
    const [parser, { parseDocument }] = await Promise.all([import('@actions/workflow-parser'), import('yaml')]);
    return { ...parser, parseDocument };
  } finally {
    hooks.deregister();
  }
}

const schemaFile = /\/@actions\/workflow-parser\/dist\/[\w.-]+\.json$/;
