// Makes `icons.json`, the icons that pages use, from lucide-static (ISC licence): `node src/html/generate-icons.ts`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** The names of pages' icons, each with that of lucide. */
const names = {
  archive: 'archive',
  attachment: 'paperclip',
  bell: 'bell',
  book: 'book-marked',
  branch: 'git-branch',
  bug: 'bug',
  calendar: 'calendar',
  cancelled: 'ban',
  chart: 'chart-column',
  check: 'check',
  'circle-check': 'circle-check',
  'circle-dot': 'circle-dot',
  'circle-x': 'circle-x',
  clock: 'clock',
  code: 'code-xml',
  comment: 'message-square',
  commit: 'git-commit-horizontal',
  copy: 'copy',
  cross: 'x',
  deployment: 'rocket',
  download: 'download',
  draft: 'git-pull-request-draft',
  external: 'external-link',
  eye: 'eye',
  file: 'file',
  filter: 'list-filter',
  folder: 'folder',
  fork: 'git-fork',
  history: 'history',
  home: 'house',
  key: 'key-round',
  label: 'tag',
  law: 'scale',
  link: 'link',
  list: 'list',
  lock: 'lock',
  mail: 'mail',
  menu: 'menu',
  merge: 'git-merge',
  milestone: 'milestone',
  minus: 'minus',
  more: 'ellipsis',
  note: 'file-text',
  organization: 'building-2',
  package: 'package',
  people: 'users',
  person: 'user',
  pin: 'pin',
  play: 'circle-play',
  plus: 'plus',
  pull: 'git-pull-request',
  'pull-closed': 'git-pull-request-closed',
  reply: 'reply',
  running: 'loader-circle',
  search: 'search',
  server: 'server',
  settings: 'settings',
  shield: 'shield',
  'sign-in': 'log-in',
  'sign-out': 'log-out',
  skipped: 'circle-slash',
  smile: 'smile-plus',
  star: 'star',
  submodule: 'folder-git-2',
  symlink: 'file-symlink',
  tag: 'tag',
  up: 'chevron-up',
  verified: 'badge-check',
  down: 'chevron-down',
  next: 'chevron-right',
  previous: 'chevron-left',
  warning: 'triangle-alert',
  webhook: 'webhook',
  workflow: 'workflow',
} as const;

/** The content of an icon's file without the svg element itself. */
function shapesOf(name: string): string {
  const file = readFileSync(join(root, 'node_modules/lucide-static/icons', `${name}.svg`), 'utf8');
  const [, shapes = ''] = /<svg[^>]*>([\s\S]*)<\/svg>/.exec(file) ?? [];
  return shapes
    .split('\n')
    .map((line) => line.trim())
    .join('')
    .replaceAll(' />', '/>');
}

/** The icons as the text of `icons.json`. */
export const iconsText = (): string =>
  `${JSON.stringify(Object.fromEntries(Object.entries(names).map(([name, lucide]) => [name, shapesOf(lucide)])), null, 2)}\n`;

if (process.argv[1] === import.meta.filename) writeFileSync(join(import.meta.dirname, 'icons.json'), iconsText());
