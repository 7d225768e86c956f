// Pictures of accounts without one of their own: five by five fields, mirrored, in a colour of their own.
import { createHash } from 'node:crypto';

const size = 5;

/** The picture of the account with this id, as SVG. */
export function avatarSvg(id: number): string {
  const bytes = createHash('sha256').update(`account ${id}`).digest();
  const hue = Math.round(((bytes[0] ?? 0) / 256) * 360);
  const fields: string[] = [];
  for (let row = 0; row < size; row++)
    for (let column = 0; column < Math.ceil(size / 2); column++) {
      if (((bytes[1 + row * 3 + column] ?? 0) & 1) === 0) continue;
      for (const x of new Set([column, size - 1 - column])) fields.push(`<path d="M${x + 1} ${row + 1}h1v1h-1z"/>`);
    }
  const background = `<rect width="7" height="7" fill="hsl(${hue} 30% 90%)"/>`;
  const pattern = `<g fill="hsl(${hue} 45% 45%)">${fields.join('')}</g>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 7 7">${background}${pattern}</svg>`;
}
