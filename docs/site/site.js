// The switch between light and dark, and the search. Without it the pages are complete: they follow the system.
const root = document.documentElement
const themes = ['system', 'light', 'dark']

function stored() {
  try {
    const theme = localStorage.getItem('theme')
    return themes.includes(theme) ? theme : 'system'
  } catch {
    return 'system'
  }
}

function show(theme) {
  if (theme === 'system') delete root.dataset.theme
  else root.dataset.theme = theme
}

// Before the page is painted.
show(stored())

document.addEventListener('DOMContentLoaded', () => {
  openSwitch(document.getElementById('theme'))
  openSearch(document.getElementById('search'), document.getElementById('found'))
})

function openSwitch(button) {
  let theme = stored()
  const name = () => {
    button.textContent = theme === 'system' ? 'Auto' : theme === 'light' ? 'Light' : 'Dark'
    button.setAttribute('aria-label', `Colours: ${theme}. Change`)
  }
  name()
  button.hidden = false
  button.addEventListener('click', () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length]
    show(theme)
    name()
    try {
      localStorage.setItem('theme', theme)
    } catch {
      // A browser that stores nothing shows the choice on this page only.
    }
  })
}

const resultsMax = 12

/** Every word must occur: in the heading of a section it counts most, then in the title of its page. */
function rank(section, words) {
  let score = 0
  for (const word of words) {
    const at = [section.heading, section.title, section.text].findIndex((text) =>
      ` ${text.toLowerCase()}`.includes(word),
    )
    if (at < 0) return 0
    score += [9, 4, 1][at]
  }
  return score
}

function find(index, query) {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const ranked = index.map((section) => ({ section, score: rank(section, words) })).filter(({ score }) => score > 0)
  return ranked.sort((left, right) => right.score - left.score).slice(0, resultsMax)
}

function openSearch(input, list) {
  let index = null
  let at = 0
  input.closest('.search').hidden = false
  const load = async () => {
    index ??= fetch(root.dataset.index).then((answer) => answer.json())
    return index
  }
  const select = (next) => {
    const links = [...list.querySelectorAll('a')]
    at = links.length === 0 ? 0 : (next + links.length) % links.length
    for (const [each, link] of links.entries()) link.setAttribute('aria-selected', String(each === at))
    links[at]?.scrollIntoView({ block: 'nearest' })
    if (links[at]) input.setAttribute('aria-activedescendant', links[at].id)
    else input.removeAttribute('aria-activedescendant')
  }
  const update = async () => {
    const query = input.value
    const found = query.trim() === '' ? null : find(await load(), query)
    if (query !== input.value) return
    list.hidden = found === null
    input.setAttribute('aria-expanded', String(found !== null))
    list.replaceChildren(...(found === null ? [] : found.length === 0 ? [nothing(query)] : found.map(result)))
    select(0)
  }
  input.addEventListener('focus', load)
  input.addEventListener('input', update)
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') select(at + 1)
    else if (event.key === 'ArrowUp') select(at - 1)
    else if (event.key === 'Enter') list.querySelectorAll('a')[at]?.click()
    else if (event.key === 'Escape') {
      input.value = ''
      update()
    } else return
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, textarea') !== null
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    input.focus()
  })
  document.addEventListener('click', (event) => {
    if (event.target.closest('.search') === null || event.target.closest('#found a') !== null) {
      list.hidden = true
      input.setAttribute('aria-expanded', 'false')
    }
  })
}

function result({ section }, number) {
  const link = element('a', { href: section.path, id: `found-${number}`, role: 'option' })
  link.append(element('b', {}, section.heading || section.title))
  if (section.heading) link.append(element('span', {}, `  ${section.title}`))
  const item = element('li', { role: 'none' })
  item.append(link)
  return item
}

function nothing(query) {
  const item = element('li', { role: 'none' })
  item.append(element('p', {}, `Nothing has “${query}”.`))
  return item
}

function element(name, attributes, text = '') {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.textContent = text
  return made
}
