/** Light or dark as chosen here; `system`: as the computer has it. */
export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const themeItem = 'loyalty-theme'

export function storedTheme(): Theme {
  const stored = localStorage.getItem(themeItem)
  return themes.find((theme) => theme === stored) ?? 'system'
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(themeItem, theme)
  applyStoredTheme()
}

export function applyStoredTheme(): void {
  const theme = storedTheme()
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
}
