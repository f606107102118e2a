/**
 * Task data is in named blocks, each on its own lines:
 *
 *     <question>
 *     … text …
 *     </question>
 *
 * The text may be hostile, so inside a block every `<` is written `&lt;`: nothing in it can close its block or forge
 * another. Escapes that were already in the text gain one `amp;`, which makes the writing reversible.
 */

/** Writes text so that it holds no `<`; `unescapeBlock` is its exact inverse. */
export function escapeBlock(text: string): string {
  return text.replace(/&((?:amp;)*lt;)/g, '&amp;$1').replace(/</g, '&lt;')
}

/** The text that `escapeBlock` was given. */
export function unescapeBlock(text: string): string {
  return text.replace(/&((?:amp;)*)lt;/g, (_, amps: string) => (amps === '' ? '<' : `&${amps.slice(4)}lt;`))
}

/** A block with its text escaped. */
export function textBlock(name: string, text: string): string {
  return `<${name}>\n${escapeBlock(text)}\n</${name}>`
}

/** A block that holds other blocks. */
export function groupBlock(name: string, blocks: readonly string[]): string {
  return [`<${name}>`, ...blocks, `</${name}>`].join('\n')
}

/** Reads blocks in the order in which they were written. Every method answers null when the next block is another one. */
export class BlockReader {
  private readonly source: string
  private position = 0

  constructor(source: string) {
    this.source = source
  }

  /** The text of the next block. */
  text(name: string): string | null {
    const open = `<${name}>\n`
    const close = `\n</${name}>`
    if (!this.source.startsWith(open, this.position)) return null
    const start = this.position + open.length
    // An empty text leaves the two line ends around it.
    const end = this.source.indexOf(close, start)
    if (end === -1 || this.source.slice(start, end).includes('<')) return null
    this.advance(end + close.length)
    return unescapeBlock(this.source.slice(start, end))
  }

  /** Every following group of this name, each read by `readItem`. */
  groups<Item>(name: string, readItem: (reader: BlockReader) => Item | null): Item[] | null {
    const items: Item[] = []
    while (this.accept(`<${name}>`)) {
      const item = readItem(this)
      if (item === null || !this.accept(`</${name}>`)) return null
      items.push(item)
    }
    return items
  }

  /** True when nothing is left. */
  done(): boolean {
    return this.position >= this.source.length
  }

  private accept(line: string): boolean {
    if (!this.source.startsWith(line, this.position)) return false
    this.advance(this.position + line.length)
    return true
  }

  private advance(to: number): void {
    this.position = this.source[to] === '\n' ? to + 1 : to
  }
}
