// The reply of the server that writes reviews. It can hold anything: the texts that the model has read may have steered it.
import { type Static, Type } from 'typebox';
import { areInOneHunk, findLine, type Patch, type Side, sides } from '#resources/collaboration/reviews/index.ts';
import type { ReadChanges, ReviewLimits } from './prompt.ts';

/** A comment of a review, at a location that was checked. */
type ModelComment = {
  readonly path: string;
  readonly body: string;
  readonly side: Side;
  readonly line: number;
  readonly start_line?: number;
  readonly start_side?: Side;
};

export type ModelReview = {
  readonly summary: string;
  readonly comments: readonly ModelComment[];
  /** The number of comments that weren't about lines of the diff. */
  readonly misplaced: number;
  /** The number of comments beyond the limit. */
  readonly surplus: number;
};

/** The shape of a review that is requested of the server. It has no bounds, since not all servers know them. */
export const reviewFormat = {
  type: 'json_schema',
  json_schema: {
    name: 'review',
    strict: true,
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['summary', 'comments'],
      properties: {
        summary: { type: 'string' },
        comments: {
          type: 'array',
          items: {
            type: 'object',
            additionalProperties: false,
            required: ['path', 'side', 'start_line', 'line', 'body', 'suggestion'],
            properties: {
              path: { type: 'string' },
              side: { type: 'string', enum: [...sides] },
              start_line: { type: ['integer', 'null'] },
              line: { type: 'integer' },
              body: { type: 'string' },
              suggestion: { type: ['string', 'null'] },
            },
          },
        },
      },
    },
  },
} as const;

const Completion = Type.Object({
  choices: Type.Array(
    Type.Object({
      message: Type.Object({
        content: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        refusal: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      }),
      finish_reason: Type.Optional(Type.Union([Type.String(), Type.Null()])),
    }),
    { minItems: 1 },
  ),
});

const count = Type.Integer({ minimum: 0, maximum: 100_000_000 });
const Usage = Type.Object({ usage: Type.Object({ prompt_tokens: count, completion_tokens: count }) });

const lineNumber = Type.Integer({ minimum: 1, maximum: 2_147_483_647 });
const WrittenComment = Type.Object({
  path: Type.String(),
  side: Type.Union([Type.Literal('LEFT'), Type.Literal('RIGHT')]),
  start_line: Type.Optional(Type.Union([lineNumber, Type.Null()])),
  line: lineNumber,
  body: Type.String(),
  suggestion: Type.Optional(Type.Union([Type.String(), Type.Null()])),
});
const WrittenReview = Type.Object({ summary: Type.String(), comments: Type.Array(WrittenComment) });
type WrittenComment = Static<typeof WrittenComment>;

/** The tokens of a reply; 0 if it doesn't report them. */
export async function tokensOf(reply: unknown): Promise<number> {
  const { Value } = await import('typebox/value');
  return Value.Check(Usage, reply) ? reply.usage.prompt_tokens + reply.usage.completion_tokens : 0;
}

/** Reads the review of a reply, or why there is none. */
export async function readReview(
  reply: unknown,
  { patches }: ReadChanges,
  limits: ReviewLimits,
): Promise<ModelReview | { problem: string }> {
  const { Value } = await import('typebox/value');
  if (!Value.Check(Completion, reply)) return { problem: 'the reply is no completion of a chat' };
  const [choice] = reply.choices;
  if (choice?.message.refusal) return { problem: 'the model refused' };
  if (choice?.finish_reason === 'length') return { problem: 'the reply was cut off' };
  const written = parseJson(choice?.message.content ?? '');
  if (!Value.Check(WrittenReview, written)) return { problem: 'the reply is no review of the requested form' };
  const texts = [written.summary, ...written.comments.flatMap(({ body, suggestion }) => [body, suggestion ?? ''])];
  if (texts.some((text) => text.length > limits.text)) return { problem: 'a text of the review is too long' };
  const summary = storable(written.summary).trim();
  if (summary === '') return { problem: 'the review has no summary' };
  const located = written.comments.flatMap((comment) => locate(comment, patches.get(comment.path)) ?? []);
  return {
    summary,
    comments: located.slice(0, limits.comments),
    misplaced: written.comments.length - located.length,
    surplus: Math.max(0, located.length - limits.comments),
  };
}

/** A comment whose lines the patch of its file shows, by the rules for comments of people; undefined for others. */
function locate(written: WrittenComment, patch: Patch | undefined): ModelComment | undefined {
  const { path, side, line, start_line } = written;
  const end = patch && findLine(patch, side, line);
  const body = bodyOf(written);
  if (!patch || !end || body === '') return undefined;
  if (start_line === null || start_line === undefined || start_line === line) return { path, side, line, body };
  const start = findLine(patch, side, start_line);
  if (!start || start.position >= end.position || !areInOneHunk(patch, start, end)) return undefined;
  return { path, side, line, start_line, start_side: side, body };
}

/** The text of a comment. A suggestion replaces lines of the new version, in a block of the kind that clients know. */
function bodyOf({ body, side, suggestion }: WrittenComment): string {
  const text = storable(body).trim();
  if (typeof suggestion !== 'string' || side === 'LEFT') return text;
  const code = storable(suggestion).replace(/\n$/, '');
  const longestRun = Math.max(0, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(Math.max(3, longestRun + 1));
  return `${text}\n\n${fence}suggestion\n${code}\n${fence}`.trim();
}

/** PostgreSQL stores no NUL and no half of a surrogate pair. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
