import { BaseApproach } from '../../contract/approaches.ts'
import type { PromptLeak } from '../../contract/evidence/judgments.ts'

type Leak = Omit<PromptLeak, 'found_in'>

/** Finds text that would reveal to a judge which approach wrote an answer. */
export interface LeakScan {
  (text: string): Leak[]
  /**
   * The text with everything found withheld: names become `[name withheld]`, source markers and metrics footers go. `content`: names of
   * products, in lower case, that the question and its sources speak of; they identify no approach and stay.
   */
  withhold(text: string, content: ReadonlySet<string>): { text: string; leaks: Leak[] }
}

/** Replaces a name that would reveal an approach. */
const WITHHELD = '[name withheld]'

/** Removing one marker may join the parts of another. */
const MAX_PASSES = 5

type Kind = PromptLeak['kind']

/** Parts of a name may be joined in any way, or not at all. */
const JOINT = '[\\s_.\\-\\u2010-\\u2015]*'

function loose(name: string): string {
  const parts = name.split(/[\s_.-]+/).filter((part) => part !== '')
  return `(?<![\\p{L}\\p{N}])${parts.map((part) => RegExp.escape(part)).join(JOINT)}(?![\\p{L}\\p{N}])`
}

function words(...names: string[]): RegExp {
  return new RegExp(names.map(loose).join('|'), 'giu')
}

/**
 * Products that the approaches are built on. Only names that mean nothing else in ordinary text: a word such as Kong or Parakeet would block
 * questions about apes and birds. Case counts where letters alone could be a word.
 */
const ENGINES: readonly RegExp[] = [
  words(
    'rag ladder',
    'lightrag',
    'light rag',
    'graphrag',
    'nano graphrag',
    'hipporag',
    'weaviate',
    'litellm',
    'lite llm',
    'ollama',
    'langchain',
    'llama index',
    'sqlite vec',
    'text embeddings inference',
    'docling',
    'chonkie',
  ),
  /(?<![\p{L}\p{N}])(?:TEI|n8n|FTS5)(?![\p{L}\p{N}])/gu,
]

const SOURCE_MARKERS: readonly RegExp[] = [
  /<\/?(?:details|summary)\b[^>\n]*>?/giu,
  // "1. **title** (score 0.8312)"
  /\(\s*(?:relevance[ _-]?)?score:?\s*-?\d+(?:\.\d+)?\s*\)/giu,
  // A heading of its own line: "Sources (5)", "### References", "**Sources:**"
  /^[ \t>#*_-]*(?:sources?|references|citations|retrieved\s+(?:sources|contexts?|chunks|passages))[ \t]*(?:\(\d+\)[ \t]*)?(?:[:*_][ \t*_]*)?$/gimu,
  // "[Data: Entities (3)]", "[Source 2]", "[KG] person.md", "[DC: 4]"
  /\[(?:(?:data|sources?|context|chunk|doc(?:ument)?)\s*(?:[:#]\s*)?(?:\d|entit|relat|report|claim|text|unit)|(?:KG|DC|VDB)\b)[^[\]\n]*\]/giu,
  /(?:[[(]|(?<!\*)\*|sources?:)\s*(?:\*+\s*)?knowledge[ _-]graph\b/giu,
]

const METRICS_FOOTERS: readonly RegExp[] = [
  /(?<![\d.])\d+(?:\.\d+)?\s*(?:m?s|sec(?:onds)?)\s*[·|,;]\s*\d+\s*(?:chunks?|contexts?|sources?)\b/giu,
  /(?<!\d)\d+\s*(?:LLM|cloud)[ _-]?calls?\b/giu,
  /\b(?:llm|cloud)[ _-]?calls?\s*[:=]\s*\d+/giu,
]

/** Below this, a name within a longer word is chance. */
const MIN_INNER_NAME = 6

/** An alias is found in its exact spelling anywhere, and in any other spelling as separate words. */
const aliasPattern = (name: string): string =>
  name.length >= MIN_INNER_NAME ? `${RegExp.escape(name)}|${loose(name)}` : loose(name)

/** Unseen and compatibility characters must not hide a name. */
const plain = (text: string): string => text.normalize('NFKC').replace(/[\p{Cf}\u034f]/gu, '')

/**
 * A scan for the names of all aliases and approaches, of engines and products, for source markers and metrics footers. What it withholds
 * from a text that judges are shown is reported; the stored answer stays as it is.
 */
export function leakScan(aliases: Iterable<string>): LeakScan {
  // Longest first, so that a flavor is reported by its own name.
  const names = [...new Set([...aliases, ...BaseApproach.options])].sort(
    (a, b) => b.length - a.length || (a < b ? -1 : 1),
  )
  const patterns: [Kind, RegExp][] = [
    ['alias', new RegExp(names.map(aliasPattern).join('|'), 'giu')],
    ...ENGINES.map((pattern): [Kind, RegExp] => ['engine', pattern]),
    ...SOURCE_MARKERS.map((pattern): [Kind, RegExp] => ['source_marker', pattern]),
    ...METRICS_FOOTERS.map((pattern): [Kind, RegExp] => ['metrics_footer', pattern]),
  ]
  const scan = (text: string): Leak[] => {
    const readable = plain(text)
    const found = patterns.flatMap(([kind, pattern]) =>
      Array.from(readable.matchAll(pattern), ([match]) => ({ kind, text: match.trim().slice(0, 120) })),
    )
    return [...new Map(found.map((leak) => [`${leak.kind} ${leak.text}`, leak])).values()]
  }
  const withhold = (text: string, content: ReadonlySet<string>): { text: string; leaks: Leak[] } => {
    const isTelling = (leak: Leak): boolean => !isContent(leak, content)
    const leaks = scan(text).filter(isTelling)
    if (leaks.length === 0) return { text, leaks }
    let shown = plain(text)
    for (let pass = 0; pass < MAX_PASSES && scan(shown).some(isTelling); pass += 1)
      for (const [kind, pattern] of patterns)
        shown = shown.replace(pattern, (match) =>
          kind === 'alias' ? WITHHELD : kind !== 'engine' ? '' : content.has(match.toLowerCase()) ? match : WITHHELD,
        )
    return { text: shown.trim(), leaks }
  }
  return Object.assign(scan, { withhold })
}

/** Returns true when what a scan found is a product that the question and its sources speak of. */
export const isContent = ({ kind, text }: Leak, content: ReadonlySet<string>): boolean =>
  kind === 'engine' && content.has(text.toLowerCase())
