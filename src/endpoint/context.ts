import type { Repo, Viewer } from '#access/viewer.ts';
import type { Db } from '#database/connect.ts';
import type { GitStore } from '#git/repo.ts';
import type { Media } from '#lib/media.ts';
import type { Links } from './links.ts';

/** What presenters work with: `presentThings(context, rows)` loads what belongs to the rows of a page once for all of them. */
export type Context = { db: Db; links: Links };

/**
 * The same for presenters whose result depends on the viewer. `repo` is the repository of the path, so that it isn't loaded
 * again; `media` is the media type that is asked for, where texts depend on it, and `git` has the commits that rendered texts link.
 */
export type ViewerContext = Context & { viewer: Viewer; repo?: Repo; media?: Media; git?: GitStore };
