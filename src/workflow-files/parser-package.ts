import { registerHooks } from 'node:module';

type ParserPackage = typeof import('@actions/workflow-parser') & {
  readonly parseDocument: typeof import('yaml')['parseDocument'];
};

/**
 * Loads the parser of workflow files on first use, since that takes a tenth of a second. Its modules import JSON without an
 * import attribute, as bundlers allow. Node requires the attribute, which is added here.
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
