// Some models write their reasoning into the answer: between tags, before a lone closing tag that their template opened, or in a channel of its own.
// It is not part of the answer, streamed or whole.

const TAG = '(?:think|thinking|thought|reasoning|seed:think)'
const OPEN = new RegExp(`<${TAG}>|\\[THINK\\]`, 'i')
const BLOCK = new RegExp(`^\\s*(?:<(${TAG})>([\\s\\S]*?)</\\1>|\\[THINK\\]([\\s\\S]*?)\\[/THINK\\])`, 'i')
/** From the beginning: tried at each position, it would cost the square of the reply's length. */
const LAST_CLOSE = new RegExp(`^([\\s\\S]*)(?:</${TAG}>|\\[/THINK\\])`, 'i')
/** The longest of the opening marks. */
const LONGEST_MARK = '<|channel|>analysis'.length

const CHANNEL = /<\|channel\|>\s*(\w+)[^<]*<\|message\|>([\s\S]*?)(?=<\|(?:end|return|call|start)\|>|$)/g
/** The same of a server that strips the marks. */
const BARE_CHANNELS = /^\s*analysis([\s\S]*?)assistantfinal([\s\S]*)$/

/** A reply as its answer and what was thought before it. A thought that was cut off leaves no answer. */
export function splitThinking(reply: string): { answer: string; thinking: string } {
  if (/^\s*<\|/.test(reply) && reply.includes('<|channel|>')) return splitChannels(reply)
  const bare = BARE_CHANNELS.exec(reply)
  if (bare !== null) return { answer: bare[2]!.trimStart(), thinking: bare[1]! }
  let rest = reply
  let thinking = ''
  for (let block = BLOCK.exec(rest); block !== null; block = BLOCK.exec(rest)) {
    thinking += block[2] ?? block[3] ?? ''
    rest = rest.slice(block[0].length)
  }
  const text = rest.trimStart()
  const open = OPEN.exec(text)
  if (open?.index === 0) return { answer: '', thinking: thinking + text.slice(open[0].length) }
  // Text before a lone closing mark is reasoning whose beginning the model's template wrote.
  const lone = open === null ? LAST_CLOSE.exec(text) : null
  if (lone !== null) return { answer: text.slice(lone[0].length).trimStart(), thinking: thinking + lone[1]! }
  return { answer: rest === reply ? reply : text, thinking }
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
