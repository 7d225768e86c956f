export { type Publication, type Published, publishImage } from './publish.ts';
