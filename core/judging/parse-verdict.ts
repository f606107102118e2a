import { isRecord, jsonObjects } from '../json.ts'
import { withoutThinking } from '../thinking.ts'
import type { LetterVerdict } from './judge-task.ts'

type ParsedVerdict = { ok: true; verdict: LetterVerdict } | { ok: false; problem: string }

/** A reply beyond this is read from its end; the limit also bounds the time that a reply full of braces can take. */
const MAX_REPLY_CHARS = 20_000
const MAX_REASON_CHARS = 500

/**
 * A judge's reply → verdict. The reply may hold reasoning, prose, code fences and drafts. Reasoning is left out; what counts is the last JSON object with `scores`, or the last of
 * those that repeat the prompt's token, which no answer can know. If that one is wrong the reply is: an earlier one is not
 * taken instead. Letters in any case; grades as whole numbers or their text, never booleans; every letter must be there and no other.
 */
export function parseVerdict(reply: string, letters: readonly string[], token: string): ParsedVerdict {
  const text = withoutThinking(reply).slice(-MAX_REPLY_CHARS)
  const candidates = [...jsonObjects(text)].map(({ value }) => value).filter((value) => 'scores' in value)
  const verdict = candidates.findLast((value) => value['check'] === token) ?? candidates.at(-1)
  if (verdict === undefined) return wrong('it holds no JSON object with "scores"')
  return readVerdict(verdict, letters)
}

const wrong = (problem: string): ParsedVerdict => ({ ok: false, problem })

function readVerdict(value: Record<string, unknown>, letters: readonly string[]): ParsedVerdict {
  const { scores: given, best: named } = value
  if (!isRecord(given)) return wrong('"scores" is not an object')
  const scores = new Map<string, number>()
  const reasons = new Map<string, string>()
  for (const [key, entry] of Object.entries(given)) {
    const letter = letterOf(key)
    if (letter === null || !letters.includes(letter))
      return wrong('"scores" holds a key that is not a letter of an answer')
    if (scores.has(letter)) return wrong(`"scores" holds ${letter} twice`)
    const grade = gradeOf(isRecord(entry) ? (entry['score'] ?? entry['grade']) : entry)
    if (grade === null) return wrong(`the grade of ${letter} is not a whole number from 1 to 5`)
    scores.set(letter, grade)
    if (isRecord(entry)) addReason(reasons, letter, entry['reason'] ?? entry['reasons'])
  }
  const missing = letters.filter((letter) => !scores.has(letter))
  if (missing.length > 0) return wrong(`no grade for ${missing.join(', ')}`)
  const best = typeof named === 'string' ? letterOf(named) : null
  if (best === null || !letters.includes(best)) return wrong('"best" is not a letter of an answer')
  if (isRecord(value['reasons']))
    for (const [key, text] of Object.entries(value['reasons'])) {
      const letter = letterOf(key)
      if (letter !== null && letters.includes(letter)) addReason(reasons, letter, text)
    }
  // One reason for the whole verdict is used for each of its grades.
  const common = value['reasons'] ?? value['reason']
  for (const letter of typeof common === 'string' ? letters : [])
    if (!reasons.has(letter)) addReason(reasons, letter, common)
  const silent = letters.filter((letter) => !reasons.has(letter))
  if (silent.length > 0) return wrong(`no reason for ${silent.join(', ')}`)
  const ordered = <Value>(map: Map<string, Value>): Map<string, Value> =>
    new Map(letters.flatMap((letter) => (map.has(letter) ? [[letter, map.get(letter)!] as const] : [])))
  return { ok: true, verdict: { scores: ordered(scores), best, reasons: ordered(reasons) } }
}

function addReason(reasons: Map<string, string>, letter: string, text: unknown): void {
  if (typeof text !== 'string' || text.trim() === '') return
  reasons.set(letter, text.trim().slice(0, MAX_REASON_CHARS).toWellFormed())
}

/** `b`, `B`, ` Answer B ` → `B`; null for anything else. */
function letterOf(text: string): string | null {
  const match = /^\s*(?:answer\s+)?["'(]?([a-z]{1,2})[)"'.]?\s*$/i.exec(text)
  return match === null ? null : match[1]!.toUpperCase()
}

function gradeOf(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value.trim() : ''
  return /^[1-5](?:\.0+)?$/.test(text) ? Number(text[0]) : null
}
