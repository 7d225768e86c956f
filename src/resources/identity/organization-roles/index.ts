export { managesSecurity } from './store.ts';
