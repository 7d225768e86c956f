import { Type } from 'typebox';
import { fixedValue } from '#lib/limits.ts';
import { OneOf, withDefault } from '#lib/shape.ts';
import { markdownLimits } from './limits.ts';

/** In the mode `gfm` ends of lines are kept, and references become links; `context` is the repository that `#12` belongs to. */
export const MarkdownText = Type.Object(
  {
    text: Type.String({ maxLength: fixedValue(markdownLimits.rendered) }),
    mode: withDefault(OneOf(['markdown', 'gfm']), 'markdown'),
    context: Type.Optional(Type.String({ maxLength: 200 })),
  },
  { title: 'Markdown' },
);

/** A page's part, and no JSON. */
export const Html = Type.String({ contentMediaType: 'text/html' });
