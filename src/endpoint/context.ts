import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { Links } from './links.ts';

/** What presenters work with: `presentThings(context, rows)` loads what belongs to the rows of a page once for all of them. */
export type Context = { db: Db; links: Links };

/** The same for things that viewers don't see alike. The repository of the path, where it is given, needn't be loaded again. */
export type ViewerContext = Context & { viewer: Viewer; repo?: Repo };
