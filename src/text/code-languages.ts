// Which grammar of highlight.js shows a file, by its language.

/** Languages whose grammar has another name than their own in lower case. */
const grammars: Readonly<Record<string, string>> = {
  actionscript: 'actionscript',
  apacheconf: 'apache',
  assembly: 'x86asm',
  asciidoc: 'asciidoc',
  autohotkey: 'autohotkey',
  batchfile: 'dos',
  'c#': 'csharp',
  'c++': 'cpp',
  'common lisp': 'lisp',
  cuda: 'cpp',
  dockerfile: 'dockerfile',
  edn: 'clojure',
  'emacs lisp': 'lisp',
  'f#': 'fsharp',
  fish: 'bash',
  'git config': 'ini',
  'git attributes': 'bash',
  glsl: 'glsl',
  'go checksums': 'plaintext',
  'go module': 'go',
  graphql: 'graphql',
  hcl: 'ini',
  html: 'xml',
  'html+erb': 'erb',
  'html+php': 'php',
  'ignore list': 'bash',
  jinja: 'django',
  'json with comments': 'json',
  json5: 'json',
  jsonld: 'json',
  jsx: 'javascript',
  'jupyter notebook': 'json',
  mdx: 'markdown',
  matlab: 'matlab',
  'maven pom': 'xml',
  'objective-c': 'objectivec',
  'objective-c++': 'objectivec',
  ocaml: 'ocaml',
  pascal: 'delphi',
  plpgsql: 'pgsql',
  plsql: 'sql',
  'protocol buffer': 'protobuf',
  scheme: 'scheme',
  shell: 'bash',
  shellsession: 'shell',
  svelte: 'xml',
  svg: 'xml',
  tex: 'latex',
  toml: 'ini',
  tsql: 'sql',
  tsx: 'typescript',
  'unix assembly': 'x86asm',
  'vim script': 'vim',
  'visual basic .net': 'vbnet',
  vue: 'xml',
  'xml property list': 'xml',
  xslt: 'xml',
  zsh: 'bash',
};

/** The grammars that the bundled ones are known by, and that need no other name. */
const own = new Set(
  `ada apache applescript arduino bash basic c clojure cmake coffeescript cpp crystal csharp css d dart delphi diff django
  dockerfile elixir elm erb erlang fortran fsharp go gradle graphql groovy haml haskell haxe http ini java javascript json
  julia kotlin latex less lisp lua makefile markdown matlab nginx nim nix objectivec ocaml perl pgsql php powershell prolog
  properties protobuf puppet python r ruby rust scala scheme scss sql stylus swift tcl twig typescript vala verilog vhdl vim
  wasm x86asm xml yaml`.split(/\s+/),
);

/** The grammar for a language, by the language's name or alias; undefined where there is none. */
export function grammarOf(language: string | undefined): string | undefined {
  const word = language?.toLowerCase() ?? '';
  const named = Object.hasOwn(grammars, word) ? grammars[word] : word;
  return named !== undefined && own.has(named) ? named : undefined;
}

/** The grammars that parts of a text may have, by the grammar of the text. */
export const embedded: Readonly<Record<string, readonly string[]>> = {
  xml: ['javascript', 'css'],
  markdown: ['xml'],
  php: ['xml'],
  erb: ['xml', 'ruby'],
  django: ['xml'],
  twig: ['xml'],
  haml: ['ruby'],
  javascript: ['xml', 'css'],
  typescript: ['xml', 'css'],
};
