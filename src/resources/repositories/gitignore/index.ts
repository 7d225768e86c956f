export { templateText } from './catalogue.ts';
