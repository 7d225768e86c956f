import { basename, join } from 'node:path';
import {
  type BinaryExpression,
  type CallExpression,
  type ExpressionStatement,
  type IfStatement,
  type Node,
  type SourceFile,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/sync';

/** A guard, and the replacement that removes it. */
export type Mutant = {
  /** Relative to the root of the checkout. */
  readonly file: string;
  readonly line: number;
  readonly kind: 'if' | 'condition' | 'call' | 'not found' | 'sql';
  readonly start: number;
  readonly end: number;
  readonly by: string;
  /** The guard itself, shortened, for the report. */
  readonly guard: string;
};

/** Functions that only refuse. */
const refusing = /^(?:check|require|demand|refuse|forbid|assert|ensure|limit)[A-Z]/;

/** A separate SQL condition, such as `and i.suspended_at is null`. */
const sqlCondition =
  /\s+and (?:not )?[a-z_]+\.[a-z_]+(?: is (?:not )?null| (?:=|<>|>|<|>=|<=) (?:[\w.]+|'\w+'|\$\{[^}`]*\}))?(?=\s(?!=|<|>|is )|\)|`|$)/g;

/** Files that decide about access and pushes. In them all conditions count, and not only conditions before a refusal. */
const isDeciding = (file: string): boolean => !file.endsWith('rules.ts');

/** All guards in these files. */
export function guardsOf(root: string, files: readonly string[]): Mutant[] {
  const api = new API({ cwd: root });
  try {
    const config = join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProjects()[0];
    return files.flatMap((file) => {
      const source = project?.program.getSourceFile(join(root, file));
      if (!source) throw new Error(`${file} is no file of ${config}`);
      return guardsIn(source, file);
    });
  } finally {
    api.close();
  }
}

function guardsIn(source: SourceFile, file: string): Mutant[] {
  const { text } = source;
  const found: Mutant[] = [];
  const add = (kind: Mutant['kind'], start: number, end: number, by: string): void => {
    const guard = text.slice(start, end).replace(/\s+/g, ' ').trim();
    const line = text.slice(0, start).split('\n').length;
    found.push({ file, line, kind, start, end, by, guard: guard.length > 120 ? `${guard.slice(0, 117)}…` : guard });
  };
  const visit = (node: Node): void => {
    const start = node.getStart(source);
    if (node.kind === SyntaxKind.IfStatement && ends((node as IfStatement).thenStatement, file, text)) {
      const { expression } = node as IfStatement;
      add('if', expression.getStart(source), expression.end, 'false');
    }
    if (node.kind === SyntaxKind.BinaryExpression && isDeciding(file)) addConditions(node as BinaryExpression);
    if (node.kind === SyntaxKind.ExpressionStatement && isRefusing(node as ExpressionStatement, text))
      add('call', start, node.end, ';');
    if (node.kind === SyntaxKind.CallExpression) {
      const { expression, arguments: given } = node as CallExpression;
      const [first] = given;
      if (first && text.slice(expression.getStart(source), expression.end) === 'orNotFound')
        add('not found', start, node.end, `(${text.slice(first.getStart(source), first.end)})`);
    }
    node.forEachChild((child) => {
      visit(child);
    });
  };
  /** `a && b` without `a`, and without `b`. */
  const addConditions = ({ operatorToken, left, right, ...node }: BinaryExpression): void => {
    if (operatorToken.kind !== SyntaxKind.AmpersandAmpersandToken) return;
    const [from, to] = [left.getStart(source), right.end];
    if (node.parent?.kind === SyntaxKind.ExpressionStatement) return;
    add('condition', from, to, text.slice(right.getStart(source), to));
    add('condition', from, to, text.slice(from, left.end));
  };
  source.forEachChild((child) => {
    visit(child);
  });
  if (isDeciding(file))
    for (const { index, 0: condition } of text.matchAll(sqlCondition)) add('sql', index, index + condition.length, '');
  return found;
}

/**
 * Whether a branch ends the function: with a refusal, or in files that decide about access or a push, with any result. A plain
 * error doesn't count, since it reports a bug, which no request can cause.
 */
function ends(branch: Node, file: string, text: string): boolean {
  const words = text.slice(branch.pos, branch.end);
  if (/\bthrow new Error\(/.test(words)) return false;
  return /\bthrow\b/.test(words) || (isDeciding(file) && /\breturn\b/.test(words));
}

const isRefusing = ({ expression }: ExpressionStatement, text: string): boolean =>
  refusing.test(
    text
      .slice(expression.pos, expression.end)
      .trim()
      .replace(/^await /, ''),
  );

/** Whether to look for guards in a file: files that decide about access and pushes, and the rules of families. */
export const isGuarded = (file: string): boolean =>
  /^src\/access\/[\w-]+\.ts$/.test(file) ||
  (/^src\/resources\/[\w-]+\/[\w-]+\/(?:rules|[\w-]+-rules)\.ts$/.test(file) && basename(file) !== 'applied-rules.ts') ||
  /^src\/resources\/code\/(?:ref-rules|rulesets|branch-protection)\/(?:check|evaluate|evaluator|[\w-]+-evaluators?|bypass|conditions|patterns|wanted|branch-rules|applied-rules?|ways-in)\.ts$/.test(
    file,
  );
