import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { scoreRetrieval } from '../../main/evaluation/retrieval-scores.ts'
import { pythonPeer } from './python-peer.ts'

// Our retrieval scores against those of ir_measures (trec_eval's formulas) on the same rankings. Here each context is a document and each gold fact another one.

const peer = await pythonPeer('ir_measures')
if (peer.reason !== null) console.log(`○ ${peer.reason}`)
beforeEach(({ skip }) => skip(peer.reason !== null, peer.reason ?? ''))

interface Case {
  gold: string[]
  contexts: string[]
}

const CASES = 200
/** Documents of a case; with more gold than a list is long, and lists longer than any cut-off. */
const DOCUMENTS = 40

/** Numbers from 0 to below 1, the same each time (a linear congruential generator). */
function* numbers(): Generator<number, never> {
  for (let state = 20_260_101; ;) {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32
    yield state / 2 ** 32
  }
}

function casesFrom(random: Generator<number, never>): Case[] {
  const below = (most: number): number => Math.floor(random.next().value * most)
  const shuffled = (): string[] => {
    const names = Array.from({ length: DOCUMENTS }, (_, at) => `d${String(at).padStart(2, '0')}`)
    for (let at = names.length - 1; at > 0; at -= 1) {
      const other = below(at + 1)
      ;[names[at], names[other]] = [names[other]!, names[at]!]
    }
    return names
  }
  return Array.from({ length: CASES }, () => ({
    gold: shuffled().slice(0, 1 + below(8)),
    contexts: shuffled().slice(0, 1 + below(25)),
  }))
}

async function peerScores(cases: readonly Case[]): Promise<Record<string, number>[]> {
  const child = spawn(join(peer.bin!, 'python'), [join(import.meta.dirname, 'ir-measures.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part))
  child.stdin.end(cases.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const [code] = (await once(child, 'close')) as [number | null]
  expect(code).toBe(0)
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, number>)
}

it('scores of 200 rankings equal those of ir_measures to nine digits; bpref would be recall over everything handed over', async () => {
  const cases = casesFrom(numbers())
  const theirs = await peerScores(cases)
  expect(theirs).toHaveLength(CASES)
  let largest = 0
  for (const [at, { gold, contexts }] of cases.entries()) {
    const ours = scoreRetrieval({
      capability: 'answer_with_contexts',
      gold: gold.map((document) => ({ document })),
      sources: contexts.map((document) => ({ title: 't', snippet: 's', score: 1, document })),
      contexts: contexts.map(() => 'text'),
      usedPassages: null,
    })
    const { bpref, ...shared } = theirs[at]!
    for (const [metric, score] of Object.entries(shared)) {
      const own = ours.scores[metric as keyof typeof ours.scores]
      expect(own, `${metric} of ${gold.join(' ')} in ${contexts.join(' ')}`).toBeCloseTo(score, 9)
      largest = Math.max(largest, Math.abs(own! - score))
    }
    // Nothing is judged as not relevant, so that bpref has nothing to subtract: it is no metric of its own here.
    expect(bpref).toBeCloseTo(gold.filter((document) => contexts.includes(document)).length / gold.length, 9)
  }
  console.log(`ir_measures ${peer.version}: ${CASES} rankings, greatest difference ${largest.toExponential(1)}`)
}, 120_000)
