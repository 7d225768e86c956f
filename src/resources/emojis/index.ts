export { addEmojiImages } from './images.ts';
