// Known licences, with their names and texts.
import { Type } from 'typebox';
import { endpoint } from '#endpoint/endpoint.ts';
import { pageOut, pages } from '#endpoint/paging.ts';
import { licenses } from './catalogue.ts';
import { license } from './path-resources.ts';
import { featured, presentLicense, presentWholeLicense } from './present.ts';
import { License, SimpleLicense } from './schemas.ts';
import { offered } from './texts.ts';

const access = { permission: { none: 'public' } } as const;

export const listLicenses = endpoint({
  id: 'licenses/get-all-commonly-used',
  method: 'GET',
  path: '/licenses',
  summary: 'Get all commonly used licenses',
  access,
  query: Type.Object({ featured: Type.Optional(Type.Boolean()) }),
  paging: pages(),
  replies: { 200: Type.Array(SimpleLicense) },
  async handle({ query, page, links }) {
    const chosen = licenses
      .filter(({ key }) => offered.has(key))
      .filter(({ key }) => query.featured === undefined || query.featured === featured.has(key));
    const { rows, total } = pageOut(chosen, page);
    return { rows: rows.map(({ key }) => presentLicense(links, key)), total };
  },
});

export const getLicense = endpoint({
  id: 'licenses/get',
  method: 'GET',
  path: '/licenses/{license}',
  resources: [license],
  summary: 'Get a license',
  access,
  replies: { 200: License },
  async handle({ at, links }) {
    return presentWholeLicense(links, at.license);
  },
});
