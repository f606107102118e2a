import { hash, webcrypto } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { PAGE_SCRIPT } from './page-script.ts'

interface Page {
  protocol?: string
  secure?: boolean
  /** Holds what the page carries for each file, and what is there now; null for nothing, an error for what cannot be read. */
  files: Record<string, { stated: string; now: string | null | Error }>
}

interface Chosen {
  name: string
  arrayBuffer: () => Promise<ArrayBufferLike>
}

const bytesOf = (text: string): ArrayBufferLike => new TextEncoder().encode(text).buffer

/** Runs the script as a page would, and returns what it wrote once it has ended; `choose` is what a person does then. */
async function open({ protocol = 'https:', secure = true, files }: Page) {
  const banner = {
    className: '',
    textContent: '',
    append(...parts: unknown[]) {
      this.textContent += parts.map((part) => (typeof part === 'string' ? part : '[choose]')).join('')
    },
  }
  const marks = Object.entries(files).map(([file, { stated }]) => ({
    dataset: { file, sha256: hash('sha256', stated) },
    className: 'check',
    textContent: 'not checked',
  }))
  const asked: string[] = []
  let drop: (event: unknown) => void = () => undefined
  const element = () => ({ append: () => undefined, addEventListener: () => undefined })
  const done: unknown = runInNewContext(PAGE_SCRIPT, {
    document: { getElementById: () => banner, querySelectorAll: () => marks, createElement: element },
    location: { protocol },
    crypto: secure ? webcrypto : {},
    Uint8Array,
    addEventListener: (name: string, listener: typeof drop) => {
      if (name === 'drop') drop = listener
    },
    fetch: async (file: string) => {
      asked.push(file)
      const { now } = files[file]!
      if (now instanceof Error) throw now
      return { ok: now !== null, arrayBuffer: async () => bytesOf(now ?? '') }
    },
  })
  await done
  const states = () => marks.map(({ textContent }) => textContent)
  /** Drops files and waits for the last word on them. */
  async function choose(texts: Record<string, string>): Promise<void> {
    const chosen = Object.entries(texts).map(([name, text]): Chosen => ({
      name,
      arrayBuffer: async () => bytesOf(text),
    }))
    drop({ preventDefault: () => undefined, dataTransfer: { files: chosen } })
    await expect.poll(() => banner.textContent).not.toMatch(/^(?:◐|○ Opened)/)
  }
  return { banner, states, asked, choose }
}

describe('the page’s script', () => {
  it('reports that all artifacts still match', async () => {
    const { banner, states } = await open({ files: { a: { stated: 'x', now: 'x' }, b: { stated: '', now: '' } } })
    expect(banner.className).toBe('banner same')
    expect(states()).toEqual(['● same', '● same'])
  })

  it('distinguishes changed, missing and unreadable ones, and names them', async () => {
    const { banner, states } = await open({
      files: {
        'a%20b': { stated: 'x', now: 'x ' },
        b: { stated: 'x', now: null },
        c: { stated: 'x', now: new TypeError('blocked') },
        d: { stated: 'x', now: 'x' },
      },
    })
    expect(states()).toEqual(['▲ changed', '✕ missing', '○ unreadable', '● same'])
    expect(banner.className).toBe('banner changed')
    expect(banner.textContent).toContain('1 of 4 files match; 1 changed (a b); 1 missing (b); 1 unreadable (c).')
  })

  it.each([
    ['from disk', { protocol: 'file:' }, '[choose]'],
    ['without SHA-256', { secure: false }, 'The commands under Artifacts check the files.'],
  ])('asks for nothing when it is opened %s, and names what to do', async (_how, page, expected) => {
    const { banner, asked, states } = await open({ ...page, files: { a: { stated: 'x', now: 'x' } } })
    expect(asked).toEqual([])
    expect(banner.className).toBe('banner unknown')
    expect(banner.textContent).toContain(expected)
    expect(states()).toEqual(['not checked'])
  })

  it('compares files that a person drops, by name', async () => {
    const files = { 'sub/a.json': { stated: 'x', now: null }, 'b.json': { stated: 'y', now: null } }
    const page = await open({ protocol: 'file:', files })
    await page.choose({ 'a.json': 'x' })
    expect(page.banner.textContent).toBe('○ 1 of 2 files match; 1 not chosen. [choose]')
    await page.choose({ 'a.json': 'x', 'b.json': 'z' })
    expect(page.banner.className).toBe('banner changed')
    expect(page.states()).toEqual(['● same', '▲ changed'])
    await page.choose({ 'other.json': 'x' })
    expect(page.banner.textContent).toContain('None of the chosen files')
    await page.choose({ 'a.json': 'x', 'b.json': 'y' })
    expect(page.banner.className).toBe('banner same')
  })
})
