/** A command line that a document shows. */
export interface DocumentedCommand {
  line: number
  args: string[]
  /** The file that the shell writes what the command prints to, or that it reads its input from. */
  to?: string
  from?: string
}

/** These precede the arguments, and add options by themselves. */
const STARTS: readonly [start: RegExp, added: readonly string[]][] = [
  [/(?:npx rag-ladder|npm run (?:-s )?rag-ladder --|^rag-ladder)(?= )/, []],
  [/npm run (?:-s )?ladder(?: --(?= )|(?![^ ]))/, ['ladder', '--no-cold-reset', '--no-publish']],
]

/**
 * The command lines of this program in a document: in blocks of code, continued lines joined, and between single backticks. What a shell does not hand over (a comment, a redirection, a
 * further command) is left out.
 */
export function documentedCommands(markdown: string): DocumentedCommand[] {
  const found: DocumentedCommand[] = []
  let isBlock = false
  let continued: { line: number; text: string } | null = null
  for (const [index, raw] of markdown.split('\n').entries()) {
    if (raw.trimStart().startsWith('```')) {
      isBlock = !isBlock
      continue
    }
    const line: number = continued?.line ?? index + 1
    const text: string = `${continued?.text ?? ''}${raw}`
    if (isBlock && text.endsWith('\\')) {
      continued = { line, text: text.slice(0, -1) }
      continue
    }
    continued = null
    const texts = isBlock ? [text] : [...text.matchAll(/`([^`]+)`/g)].map(([, inside]) => inside!)
    found.push(...texts.flatMap((one) => commandsIn(one)).map((command) => ({ line, ...command })))
  }
  return found
}

function commandsIn(text: string): Omit<DocumentedCommand, 'line'>[] {
  return STARTS.flatMap(([start, added]) => {
    const match = start.exec(text)
    if (match === null) return []
    const { words, ...files } = shellWords(text.slice(match.index + match[0].length))
    return [{ args: [...added, ...words], ...files }]
  })
}

/** The words of a shell's command up to what ends it: a comment, a redirection, a pipe or a further command; and the file of a redirection. */
function shellWords(text: string): { words: string[]; to?: string; from?: string } {
  const words: string[] = []
  for (const [, single, double, plain] of text.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)) {
    if (plain !== undefined && /^(?:#|[|<>&;])/.test(plain)) break
    words.push(single ?? double ?? plain!)
  }
  const [, sign, file] = / ([<>]) (\S+)/.exec(text.split(' # ')[0]!.split('|')[0]!) ?? []
  return { words, ...(sign === undefined ? {} : { [sign === '>' ? 'to' : 'from']: file }) }
}
