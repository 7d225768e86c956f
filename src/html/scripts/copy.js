// Buttons that copy a text to the clipboard, and say so for a moment.
class CopyButton extends HTMLElement {
  connectedCallback() {
    const button = this.querySelector('button');
    if (!button || !navigator.clipboard) return;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(button.dataset.copy);
      const { title } = button;
      button.classList.add('ok');
      button.title = 'Copied';
      setTimeout(() => {
        button.classList.remove('ok');
        button.title = title;
      }, 1_500);
    });
  }
}
customElements.define('copy-button', CopyButton);
