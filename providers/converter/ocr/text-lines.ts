import type { TextItem } from '@llamaindex/liteparse'

/** A recognized word, in points. */
export interface Word {
  text: string
  x: number
  y: number
  width: number
  height: number
  /** 0 to 1. */
  confidence: number
}

interface Line {
  words: Word[]
  top: number
  bottom: number
}

/** Words below this are specks, rules and stains that were read as letters. */
const LEAST_CONFIDENCE = 0.3

const middle = (values: number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/**
 * Words as runs of text that a layout engine can work with: words of one line that are close together, all at one height, sizes evened out.
 * A gap of several characters parts two runs: columns and cells.
 */
export function textRuns(words: readonly Word[]): TextItem[] {
  const kept = words.filter(({ text, confidence, width, height }) => {
    const isMark = /^[|_—–\-=~.,:;'"`‘’“”]+$/u.test(text) && (height > width * 6 || width > height * 6)
    return confidence >= LEAST_CONFIDENCE && text.trim() !== '' && !isMark
  })
  const lines = groupLines(kept)
  const sizes = lines.map(({ top, bottom }) => bottom - top)
  const usual = middle(sizes)
  return lines.flatMap((line, index) => {
    const height = line.bottom - line.top
    // Lines without tall letters look smaller than they are.
    const fontSize = Math.abs(height - usual) < usual * 0.3 ? usual : height
    return splitLine(line, [...lines.slice(Math.max(0, index - 2), index), ...lines.slice(index + 1, index + 3)]).map(
      (run) => runItem(run, line, fontSize),
    )
  })
}

function groupLines(words: readonly Word[]): Line[] {
  const usual = middle(words.map(({ height }) => height))
  const lines: Line[] = []
  // From the left: a line is followed by the word whose middle lies within it, so that a slightly turned page still reads well.
  for (const word of [...words].sort((a, b) => a.x - b.x)) {
    const centre = word.y + word.height / 2
    let best: Line | null = null
    let bestDistance = Math.max(usual, 1) * 0.55
    for (const line of lines) {
      const last = line.words.at(-1)!
      const near = line.words.slice(-4)
      const height = Math.max(...near.map((each) => each.y + each.height)) - Math.min(...near.map(({ y }) => y))
      const lineCentre = middle(near.map((each) => each.y + each.height / 2))
      const distance = Math.abs(lineCentre - centre)
      const overlap = Math.min(last.x + last.width, word.x + word.width) - word.x
      if (
        distance < Math.max(bestDistance === usual * 0.55 ? Math.min(height, usual * 1.5) * 0.55 : bestDistance, 0) &&
        overlap < word.width * 0.5
      ) {
        best = line
        bestDistance = distance
      }
    }
    if (best === null) lines.push({ words: [word], top: word.y, bottom: word.y + word.height })
    else best.words.push(word)
  }
  for (const line of lines) {
    line.top = middle(
      line.words
        .map(({ y }) => y)
        .sort((a, b) => a - b)
        .slice(0, Math.ceil(line.words.length / 2)),
    )
    line.bottom = middle(
      line.words
        .map(({ y, height }) => y + height)
        .sort((a, b) => b - a)
        .slice(0, Math.ceil(line.words.length / 2)),
    )
  }
  return lines.sort((a, b) => a.top - b.top)
}

/** Gaps of a line, in the unit of its height, that separate two runs whatever is above and below. */
const WIDE_GAP = 1.8
/** A gap from here on parts two runs where the lines next to it have one at the same place. */
const LEAST_GAP = 1

interface Gap {
  from: number
  to: number
}

function gapsOf({ words, top, bottom }: Line): Gap[] {
  const least = (bottom - top) * LEAST_GAP
  return words.slice(1).flatMap((word, index) => {
    const former = words[index]!
    const gap = { from: former.x + former.width, to: word.x }
    return gap.to - gap.from >= least ? [gap] : []
  })
}

/** Justified text has wide gaps too, but not one below the other. */
function splitLine(line: Line, neighbours: readonly Line[]): Word[][] {
  const height = line.bottom - line.top
  const around = neighbours.map(gapsOf)
  const parting = gapsOf(line).filter(
    (gap) =>
      gap.to - gap.from > height * WIDE_GAP ||
      around.filter((gaps) =>
        gaps.some((other) => Math.min(gap.to, other.to) - Math.max(gap.from, other.from) > height * 0.7),
      ).length >= 2,
  )
  const runs: Word[][] = [[]]
  for (const word of line.words) {
    if (parting.some(({ to }) => to === word.x)) runs.push([])
    runs.at(-1)!.push(word)
  }
  return runs.filter((run) => run.length > 0)
}

function runItem(run: readonly Word[], line: Line, fontSize: number): TextItem {
  const x = run[0]!.x
  const last = run.at(-1)!
  return {
    text: run.map(({ text }) => text).join(' '),
    x,
    y: line.top,
    width: last.x + last.width - x,
    height: line.bottom - line.top,
    fontName: 'recognized',
    fontSize,
    words: [],
  }
}
