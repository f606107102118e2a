// Some models write their reasoning into the answer, before it: `<think>…</think>`. It is no part of the answer, streamed or whole.

const OPEN = '<think>'
const CLOSE = '</think>'

/** A reply as its answer and what was thought before it. A thought that was cut off leaves no answer. */
export function splitThinking(reply: string): { answer: string; thinking: string } {
  const text = reply.trimStart()
  if (!text.startsWith(OPEN)) return { answer: reply, thinking: '' }
  const end = text.indexOf(CLOSE)
  if (end === -1) return { answer: '', thinking: text.slice(OPEN.length) }
  return { answer: text.slice(end + CLOSE.length).trimStart(), thinking: text.slice(OPEN.length, end) }
}

/** Receives the pieces of a reply as they are generated and passes on those of its answer. */
export function answerPieces(onText: (piece: string) => void): (piece: string) => void {
  let state: 'start' | 'thinking' | 'answer' = 'start'
  let held = ''
  const release = (text: string): void => {
    state = 'answer'
    held = ''
    if (text !== '') onText(text)
  }
  return (piece) => {
    if (state === 'answer') {
      onText(piece)
      return
    }
    held += piece
    if (state === 'start') {
      const text = held.trimStart()
      if (!text.startsWith(OPEN)) {
        // The next piece can complete the mark.
        if (!OPEN.startsWith(text)) release(held)
        return
      }
      state = 'thinking'
    }
    const end = held.indexOf(CLOSE)
    const rest = end === -1 ? '' : held.slice(end + CLOSE.length).trimStart()
    // White space after the thought is dropped, also where it comes later.
    if (rest !== '') release(rest)
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
