// A run as a picture of its jobs: columns of boxes, each with what it needs on its left.
import { runState } from '#console/components/run-state.ts';
import { html, type TrustedHtml } from '#html/template.ts';
import type { JobNode } from '#resources/actions/workflow-runs/schemas.ts';

type Node = Pick<JobNode, 'key' | 'name' | 'needs' | 'jobs'>;
type Job = Node['jobs'][number];

const box = { width: 208, line: 26, top: 34, gapX: 56, gapY: 18, shownJobs: 6 } as const;
/** Larger runs are lists. */
const most = { nodes: 60, edges: 400 } as const;

type Drawn = {
  readonly node: Node;
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly lines: readonly Job[];
};

/**
 * The picture; undefined if a list shows the jobs better: there is one node, or there are very many.
 * @param address the address of a job's page
 */
export function runGraph(nodes: readonly Node[], address: (job: number) => string): TrustedHtml | undefined {
  const edges = nodes.reduce((sum, { needs }) => sum + needs.length, 0);
  if (nodes.length === 0 || nodes.length > most.nodes || edges > most.edges) return undefined;
  const columns = columnsOf(nodes);
  const drawn = new Map<string, Drawn>();
  let [width, height] = [0, 0];
  for (const [at, column] of columns.entries()) {
    let y = 4;
    for (const node of column) {
      const lines = node.jobs.length > 1 ? node.jobs.slice(0, box.shownJobs) : [];
      const more = node.jobs.length > box.shownJobs ? 1 : 0;
      const own = box.top + (lines.length + more) * box.line + (lines.length > 0 ? 6 : 0);
      drawn.set(node.key, { node, x: 4 + at * (box.width + box.gapX), y, height: own, lines });
      y += own + box.gapY;
    }
    width = Math.max(width, 8 + at * (box.width + box.gapX) + box.width);
    height = Math.max(height, y);
  }
  const paths = [...drawn.values()].flatMap((to) =>
    to.node.needs.flatMap((need) => {
      const from = drawn.get(need);
      return from ? [curve(from, to)] : [];
    }),
  );
  return html`<div class="graph"><svg class="run-graph" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"
role="group" aria-label="Jobs and what they need">
${paths}${[...drawn.values()].map((one) => drawnNode(one, address))}</svg></div>`;
}

/** The nodes by the length of the longest chain of needs before each. */
function columnsOf(nodes: readonly Node[]): Node[][] {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const depths = new Map<string, number>();
  const depthOf = (node: Node): number => {
    const known = depths.get(node.key);
    if (known !== undefined) return known;
    depths.set(node.key, 0); // files have no circles; this ends one all the same
    const before = node.needs.flatMap((need) => byKey.get(need) ?? []).map(depthOf);
    const depth = before.length === 0 ? 0 : Math.max(...before) + 1;
    depths.set(node.key, depth);
    return depth;
  };
  const columns: Node[][] = [];
  for (const node of nodes) {
    const depth = depthOf(node);
    columns[depth] = [...(columns[depth] ?? []), node];
  }
  return columns;
}

function curve(from: Drawn, to: Drawn): TrustedHtml {
  const [x1, y1] = [from.x + box.width, from.y + box.top / 2];
  const [x2, y2] = [to.x, to.y + box.top / 2];
  const middle = (x1 + x2) / 2;
  return html`<path class="edge" d="M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}"/>`;
}

function drawnNode({ node, x, y, height, lines }: Drawn, address: (job: number) => string): TrustedHtml {
  const [only] = node.jobs;
  const rest = node.jobs.length - lines.length;
  const head = node.jobs.length === 1 ? only : undefined;
  const title =
    node.jobs.length > 1
      ? html`<text class="matrix" x="${x + 12}" y="${y + 22}">${cut(node.name, 22)} · ${node.jobs.length} jobs</text>`
      : linkedLine(head, node.name, { x, y: y + 4 }, address);
  return html`<g><rect x="${x}" y="${y}" width="${box.width}" height="${height}" rx="6"
class="${node.jobs.length === 0 ? 'later' : ''}"/>
<title>${node.name}</title>${title}
${lines.map((job, at) => linkedLine(job, job.name, { x, y: y + box.top + at * box.line }, address))}
${
  lines.length > 0 && rest > 0
    ? html`<text class="matrix" x="${x + 36}"
y="${y + box.top + lines.length * box.line + 17}">and ${rest} more</text>`
    : ''
}</g>`;
}

function linkedLine(
  job: Job | undefined,
  name: string,
  { x, y }: { x: number; y: number },
  address: (job: number) => string,
): TrustedHtml {
  const { icon, color, word } = runState(job);
  const shown = html`<svg class="icon ${color}" x="${x + 10}" y="${y + 5}" width="16" height="16" viewBox="0 0 24 24">
<use href="#icon-${icon}"/></svg>
<text x="${x + 34}" y="${y + 18}">${cut(name, 21)}</text>`;
  return job ? html`<a href="${address(job.id)}"><title>${name}: ${word}</title>${shown}</a>` : shown;
}

const cut = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
