import { Type } from 'typebox';
import { family } from '#resources/family.ts';
import * as endpoints from './endpoints.ts';
import { customPropertyEvents } from './events.ts';
import * as limits from './limits.ts';
import * as schemas from './schemas.ts';

const values = Type.Array(schemas.PropertyValue);

export const customProperties = family({
  name: 'custom-properties',
  effect: 'Repositories get other properties and values, which rulesets and searches use.',
  page: 'custom-properties.md',
  limits,
  schemas,
  endpoints: [endpoints],
  events: customPropertyEvents,
  payloadParts: { definition: schemas.CustomProperty, new_property_values: values, old_property_values: values },
});
