import { Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { markdownLimits } from './limits.ts';

/**
 * In the mode `gfm`, line endings are kept and references become links. `context` is the repository for references such as `#12`.
 */
export const MarkdownText = Type.Object(
  {
    text: Type.String({ maxLength: fixedValue(markdownLimits.rendered) }),
    mode: withDefault(OneOf(['markdown', 'gfm']), 'markdown'),
    context: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { title: 'Markdown' },
);

/** A part of a page, and not JSON. */
export const Html = Type.String({ contentMediaType: 'text/html' });
