// The guide is part of the built pages, so that it is there without a network, in the window and in the browser alike.

const FILES = import.meta.glob<string>(
  [
    '../../../docs/guide/*.md',
    '!../../../docs/guide/README.md',
    '../../../docs/{GLOSSARY,clients,methods,services}.md',
  ],
  { query: '?raw', import: 'default' },
)

/** Name of a page in an address: `docs/guide/own-data.md` is `own-data`. */
const nameOf = (file: string): string => file.replace(/^.*\//, '').replace(/\.md$/, '').toLowerCase()

const LOADERS = new Map(Object.entries(FILES).map(([file, load]) => [nameOf(file), load]))

/** The contents in the order of reading. */
export const GUIDE_CONTENTS = [
  { name: 'first-run', label: 'First run' },
  { name: 'reading-a-result', label: 'Reading a result' },
  { name: 'believable', label: 'Is my result believable?' },
  { name: 'own-data', label: 'Your own data' },
  { name: 'public-datasets', label: 'Public datasets' },
  { name: 'own-models', label: 'With real models' },
  { name: 'model-settings', label: 'Settings of models' },
  { name: 'own-approaches', label: 'Compare my own system' },
  { name: 'own-flavors', label: 'Your own flavors' },
  { name: 'tuning', label: 'Tune an approach' },
  { name: 'judges', label: 'Judges' },
  { name: 'documents', label: 'Documents' },
  { name: 'speech', label: 'Speech' },
  { name: 'headless-and-ci', label: 'Headless and CI' },
  { name: 'scaling-out', label: 'Scaling out' },
  { name: 'settings', label: 'Settings' },
  { name: 'keyboard', label: 'Keyboard' },
  { name: 'licences', label: 'Licences' },
  { name: 'troubleshooting', label: 'Troubleshooting' },
  { name: 'methods', label: 'Methods' },
  { name: 'clients', label: 'Clients' },
  { name: 'services', label: 'Services' },
  { name: 'glossary', label: 'Glossary' },
] as const

/** Markdown of a page; null when the guide has no such page. */
export const loadGuidePage = async (name: string): Promise<string | null> => (await LOADERS.get(name)?.()) ?? null

/** Page and heading of a link inside the guide; null for a link that leads out of it. */
export function guideTarget(link: string, from: string): { page: string; at?: string } | null {
  const [path = '', at] = link.split('#')
  const page = path === '' ? from : nameOf(path)
  if (/^[a-z]+:/i.test(link) || (path !== '' && !path.endsWith('.md')) || !LOADERS.has(page)) return null
  return { page, ...(at === undefined ? {} : { at }) }
}
