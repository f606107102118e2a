import type { ExtractedChunk } from '../stored-graph.ts'
import { findingNames, isAcronymOf, normalName, withoutParentheses } from './names.ts'
import type { DocumentName } from './names.ts'
import type { SlicedWork } from '../../../../../core/sliced-work.ts'

/** The entity that a spelling means in one document: its normal name in the whole corpus. Empty for a spelling without letters or digits. */
export type NameResolver = (spelling: string) => string

/** Describes what the corpus as a whole knows of names; used where a document alone leaves a name unexplained. */
interface CorpusNames {
  acronyms: ReadonlyMap<string, string>
  /** Persons with at least two names, plain. */
  people: Set<string>
  /** Plain names of persons by surname. */
  surnames: Map<string, Set<string>>
  /** Types of each longer name, by what is left of it without legal form or ship's prefix. */
  cores: Map<string, Map<string, Set<string>>>
}

/**
 * Decides which names are one entity. Equal normal names always are. A name that is short for another is joined with it when only one
 * can be meant, in its own document first, then in the corpus: acronyms that a text explains, surnames, first names (in the document
 * only) and titled names of persons, names without legal form or ship's prefix. Where two could be meant, names stay apart.
 *
 * Reads the documents one by one and keeps only what the corpus knows; the names of a document are collected again when it is resolved.
 */
export function* resolvingNames(
  documents: ExtractedDocuments,
): SlicedWork<(document: readonly ExtractedChunk[]) => SlicedWork<NameResolver>> {
  const meanings = new Map<string, Set<string>>()
  const learned = { people: new Set<string>(), surnames: new Map(), cores: new Map() } satisfies Partial<CorpusNames>
  for (const chunks of documents) {
    const document = yield* reading(chunks)
    const names = yield* findingNames(document)
    for (const [short, full] of yield* findingAcronyms(document, names)) addTo(meanings, short, full)
    for (const name of names.values()) {
      learnName(name, learned)
      yield
    }
  }
  const corpus: CorpusNames = { ...learned, acronyms: onlyMeanings(meanings) }
  return (document) => resolverOf(document, corpus)
}

/** The extracted chunks of a corpus, one document after the other; each iteration reads them again, chunk by chunk. */
export type ExtractedDocuments = Iterable<Iterable<ExtractedChunk>>

/** All chunks of a document, in slices. */
export function* reading(chunks: Iterable<ExtractedChunk>): SlicedWork<ExtractedChunk[]> {
  const read: ExtractedChunk[] = []
  for (const chunk of chunks) {
    read.push(chunk)
    yield
  }
  return read
}

function* resolverOf(document: readonly ExtractedChunk[], corpus: CorpusNames): SlicedWork<NameResolver> {
  const names = yield* findingNames(document)
  const defined = yield* findingAcronyms(document, names)
  const all = [...names.values()]
  const toLong = new Map<string, string>()
  for (const name of all) {
    const long = defined.get(name.normal) ?? inDocument(name, all) ?? inCorpus(name, corpus)
    if (long !== undefined && long !== name.normal) toLong.set(name.normal, long)
    yield
  }
  return (spelling) =>
    follow(toLong, normalName(withoutParentheses(spelling).long), (name) => corpusPlain(name, corpus))
}

/** An alias may be short for another: "Capt Webb" for "Webb" for "Matthew Webb". */
function follow(toLong: ReadonlyMap<string, string>, normal: string, last: (normal: string) => string): string {
  const seen = new Set<string>()
  let current = normal
  for (let next = toLong.get(current); next !== undefined && !seen.has(next); next = toLong.get(current)) {
    seen.add(current)
    current = next
  }
  return last(current)
}

/** "Dr Mary B Keane" is "Mary Keane" wherever the corpus writes that plain name too. */
function corpusPlain(normal: string, corpus: CorpusNames): string {
  const plain = plainPerson(normal)
  return corpus.people.has(plain) ? plain : normal
}

function inDocument(name: DocumentName, all: readonly DocumentName[]): string | undefined {
  const longer = all.filter((other) => other !== name && isLongForm(name, other))
  return onlyOne(new Set(longer.map((other) => (isPerson(other) ? plainPerson(other.normal) : other.normal))), longer)
}

function isLongForm(short: DocumentName, long: DocumentName): boolean {
  if (isPerson(long)) return mayBePerson(short) && shortensPerson(personWords(short.normal), personWords(long.normal))
  if (isPerson(short) || !(short.types.size === 0 || sameKind(short, long))) return false
  return short.normal.length < long.normal.length && coreName(long.normal) === short.normal
}

/** The one long form that all candidates are spellings of. */
function onlyOne(meanings: ReadonlySet<string>, candidates: readonly DocumentName[]): string | undefined {
  return meanings.size === 1 ? candidates[0]!.normal : undefined
}

function inCorpus(name: DocumentName, corpus: CorpusNames): string | undefined {
  const explained = corpus.acronyms.get(name.normal)
  if (explained !== undefined && isAcronymSpelling(name)) return explained
  if (isPerson(name)) {
    const words = personWords(name.normal)
    const bearers = words.length === 1 ? corpus.surnames.get(words[0]!) : undefined
    return bearers?.size === 1 ? [...bearers][0] : undefined
  }
  const longer = [...(corpus.cores.get(name.normal) ?? [])].filter(([, types]) =>
    [...name.types.keys()].some((type) => types.has(type)),
  )
  return longer.length === 1 ? longer[0]![0] : undefined
}

const isAcronymSpelling = (name: DocumentName): boolean =>
  [...name.spellings.keys()].every((spelling) => /^(?:the\s+)?[\p{Lu}\p{N}&.-]{2,12}$/u.test(spelling))

function learnName(
  name: DocumentName,
  { people, surnames, cores }: Pick<CorpusNames, 'people' | 'surnames' | 'cores'>,
): void {
  if (isPerson(name)) {
    const plain = plainPerson(name.normal)
    if (name.normal === plain && plain.includes(' ')) people.add(plain)
    if (plain.includes(' ')) addTo(surnames, plain.split(' ').at(-1)!, plain)
    return
  }
  const core = coreName(name.normal)
  if (core === name.normal) return
  const longer = cores.get(core) ?? new Map<string, Set<string>>()
  cores.set(core, longer)
  for (const type of name.types.keys()) addTo(longer, name.normal, type)
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  sets.set(key, (sets.get(key) ?? new Set()).add(value))
}

const IN_PARENTHESES = /\((?:the\s+)?(\p{Lu}[\p{L}\p{N}&.-]{1,11})\)/gu
const WORDS_BEFORE = /(?<![\p{L}\p{N}'’&.-])(?:[\p{L}\p{N}'’&.-]+\s+){0,9}[\p{L}\p{N}'’&.-]+\s*$/u
const CHARS_BEFORE = 160

/**
 * Short forms that a document explains in parentheses: acronyms whose letters are the initials, "World Chess Union (WCU)", and
 * codes, "Ridge Pump (RP-220)". Short to long name, both in normal form. Only long names that were extracted count.
 */
export function* findingAcronyms(
  document: readonly ExtractedChunk[],
  names: ReadonlyMap<string, DocumentName>,
): SlicedWork<Map<string, string>> {
  const defined = new Map<string, string>()
  const define = (acronym: string, long: string) => {
    const short = normalName(acronym)
    const full = normalName(long)
    const explains = isAcronymOf(acronym, long) || isCode(acronym)
    if (short !== full && names.has(full) && explains && !defined.has(short)) defined.set(short, full)
  }
  for (const { content, extraction } of document) {
    yield
    for (const { name } of extraction.entities) {
      const { long, short } = withoutParentheses(name)
      if (short !== null) define(short, long)
    }
    for (const { 1: acronym, index } of content.matchAll(IN_PARENTHESES)) {
      const before = WORDS_BEFORE.exec(content.slice(Math.max(0, index - CHARS_BEFORE), index))?.[0] ?? ''
      const words = before.trim().split(/\s+/u)
      for (let from = 0; from < words.length; from += 1) define(acronym!, words.slice(from).join(' '))
    }
  }
  return defined
}

/** A single word of letters and digits, such as a catalogue number. */
const isCode = (text: string): boolean => /^[\p{L}\p{N}.-]+$/u.test(text) && /\p{L}/u.test(text) && /\p{N}/u.test(text)

/** Short forms that the whole corpus explains in one way only, for documents that use them unexplained. */
const onlyMeanings = (meanings: ReadonlyMap<string, ReadonlySet<string>>): Map<string, string> =>
  new Map([...meanings].filter(([, full]) => full.size === 1).map(([short, full]) => [short, [...full][0]!]))

const HONORIFICS = new Set(
  `mr mrs ms miss dr doctor prof professor sir dame lady lord captain capt commander cmdr colonel col major general admiral
   lieutenant lt sergeant sgt inspector superintendent commissioner judge justice president minister senator governor mayor
   father brother sister reverend rev bishop king queen prince princess count countess baron baroness`.split(/\s+/),
)
const SUFFIXES = new Set(['jr', 'sr', 'ii', 'iii', 'iv', 'phd', 'md', 'esq'])

/** The words of a person's normal name without titles and generation marks. */
function personWords(normal: string): string[] {
  const words = normal.split(' ')
  while (words.length > 1 && HONORIFICS.has(words[0]!)) words.shift()
  while (words.length > 1 && SUFFIXES.has(words.at(-1)!)) words.pop()
  return words
}

/** A person's name reduced to what most texts write: no title, no generation mark, no middle initials. */
function plainPerson(normal: string): string {
  const words = personWords(normal)
  return words.filter((word, at) => at === 0 || at === words.length - 1 || word.length > 1).join(' ')
}

/** True when models took the name for a person at least as often as for anything else. */
export function isPerson(name: DocumentName): boolean {
  const asPerson = name.types.get('person') ?? 0
  return asPerson > 0 && [...name.types.values()].every((count) => count <= asPerson)
}

/** True when a name of a type that was never given could still be a person's. */
const mayBePerson = (name: DocumentName): boolean => isPerson(name) || name.types.size === 0

/** True when `short` can mean the person `full` near a full mention: the end of the name ("Webb", "Lloyd Webb") or the first name. */
function shortensPerson(short: readonly string[], full: readonly string[]): boolean {
  if (short.length === 0 || short.length >= full.length) return false
  const isEnd = short.every((word, index) => word === full[full.length - short.length + index])
  return isEnd || (short.length === 1 && short[0] === full[0])
}

/** Words at the end of an organization's name that texts leave out at the second mention, in normal form. */
const LEGAL_FORMS = new Set(
  'company corporation incorporated limited plc llc llp gmbh ag sa nv bv holdings group sons brothers'.split(' '),
)
/** Letters before a ship's name. */
const SHIP_PREFIXES = new Set('ss ms mv mt my rv rms rrs hms hmcs hmas uss sv fv mfv rnlb tss ps'.split(' '))

/** A name without legal form or ship's prefix; the same name when it has neither. */
function coreName(normal: string): string {
  let words = normal.split(' ')
  if (words.length > 1 && SHIP_PREFIXES.has(words[0]!)) words = words.slice(1)
  while (words.length > 1 && (LEGAL_FORMS.has(words.at(-1)!) || words.at(-1) === 'and')) words = words.slice(0, -1)
  return words.join(' ')
}

/** True when models took the two for the same kind of thing at least once. */
function sameKind(a: DocumentName, b: DocumentName): boolean {
  return [...a.types.keys()].some((type) => b.types.has(type))
}
