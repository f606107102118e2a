// Some models write their reasoning into the answer: between tags, before a lone closing tag that their template opened, or in a channel of its own.
// It is not part of the answer, streamed or whole.

import { jsonObjects } from './json.ts'

const TAG = '(?:think|thinking|thought|reasoning|seed:think)'
const OPEN = new RegExp(`<${TAG}>|\\[THINK\\]`, 'i')
/** An opening or a closing mark. */
const MARK = new RegExp(`<(/?)(${TAG})>|\\[(/?)THINK\\]`, 'gi')
/** The longest of the opening marks. */
const LONGEST_MARK = '<|channel|>analysis'.length
/** Braces of prose that are tried as a JSON object around a mark. */
const MOST_BRACES = 20

const CHANNEL =
  /<\|channel\|>\s*(\w+)[^<]*(?:<\|constrain\|>[^<]*)?<\|message\|>([\s\S]*?)(?=<\|(?:end|return|call|start)\|>|$)/g
/** The same of a server that strips the marks. */
const BARE_CHANNELS = /^\s*analysis([\s\S]*?)assistantfinal([\s\S]*)$/

/** A reply as its answer and what was thought before it. A thought that was cut off leaves no answer. */
export function splitThinking(reply: string): { answer: string; thinking: string } {
  if (/^\s*<\|/.test(reply) && reply.includes('<|channel|>')) return splitChannels(reply)
  const bare = BARE_CHANNELS.exec(reply)
  if (bare !== null) return { answer: bare[2]!.trimStart(), thinking: bare[1]! }
  let thinking = ''
  let from = 0
  let block: string | null = null
  for (const { name, isClosing, start, end } of marksIn(reply)) {
    if (block !== null) {
      if (!isClosing || name !== block) continue
    } else if (!isClosing) {
      // A mark in the middle of a text is part of it.
      if (reply.slice(from, start).trim() !== '') break
      block = name
      from = end
      continue
    }
    // Text before a lone closing mark is reasoning whose beginning the model's template wrote.
    thinking += reply.slice(from, start)
    block = null
    from = end
  }
  if (block !== null) return { answer: '', thinking: thinking + reply.slice(from) }
  return { answer: from === 0 ? reply : reply.slice(from).trimStart(), thinking }
}

/** The opening and closing marks of a reply. One inside the text of a JSON object is quoted there, and is no mark. */
function* marksIn(reply: string): Generator<{ name: string; isClosing: boolean; start: number; end: number }> {
  let objects: ReturnType<typeof jsonObjects> | null = null
  let object: { start: number; end: number } | undefined
  for (const { 0: text, 1: slash, 2: name = 'THINK', 3: bracketSlash, index: start } of reply.matchAll(MARK)) {
    objects ??= jsonObjects(reply, MOST_BRACES)
    while (object === undefined || object.end <= start) {
      const next = objects.next()
      object = next.done === true ? { start: Infinity, end: Infinity } : next.value
    }
    if (start < object.start)
      yield { name: name.toLowerCase(), isClosing: (slash ?? bracketSlash) === '/', start, end: start + text.length }
  }
}

/** The trimmed answer of a reply: what a model thinks aloud is neither answer nor evidence. */
export const withoutThinking = (reply: string): string => splitThinking(reply).answer.trim()

function splitChannels(reply: string): { answer: string; thinking: string } {
  let answer = ''
  let thinking = ''
  for (const [, channel, text] of reply.matchAll(CHANNEL)) {
    if (channel === 'final') answer += text!
    else thinking += text!
  }
  return { answer, thinking }
}

/**
 * Receives the pieces of a reply as they are generated and passes on those of its answer. A reply that begins with a mark of reasoning is held
 * until its answer begins; one of channels until `whole` is known, since marks stand between all of its parts.
 */
export function answerPieces(onText: (piece: string) => void): (piece: string) => void {
  let isAnswer = false
  let held = ''
  return (piece) => {
    if (isAnswer) {
      onText(piece)
      return
    }
    held += piece
    const text = held.trimStart()
    if (text.startsWith('<|')) return
    const isMarked = OPEN.exec(text)?.index === 0
    if (!isMarked && text.length < LONGEST_MARK && /^(?:<[\w:|]*|\[[A-Z]*|)$/i.test(text)) return
    if (isMarked) {
      const { answer } = splitThinking(held)
      // The next piece can open a further block.
      if (answer === '' || (answer.length < LONGEST_MARK && /^(?:<[\w:|]*|\[[A-Z]*)$/i.test(answer))) return
      held = answer
    }
    isAnswer = true
    onText(held)
  }
}

/** Passes pieces on so that what was passed is always a beginning of the trimmed whole. */
export function trimmedPieces(onText: (piece: string) => void): (piece: string) => void {
  let hasText = false
  let space = ''
  return (piece) => {
    const text = hasText ? space + piece : (space + piece).trimStart()
    const kept = text.trimEnd()
    space = text.slice(kept.length)
    if (kept === '') return
    hasText = true
    onText(kept)
  }
}
