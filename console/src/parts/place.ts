/** Below its button, above where there is no room, and within the window. */
export function place(panel: HTMLElement, opener: HTMLElement): void {
  const { right, bottom, top } = opener.getBoundingClientRect()
  const { offsetWidth: width } = panel
  const height = 320
  panel.style.left = `${Math.max(8, Math.min(right - width, window.innerWidth - width - 8))}px`
  panel.style.top = `${bottom + height < window.innerHeight ? bottom + 4 : Math.max(8, top - height)}px`
}
