import { describe, expect, it } from 'vitest'
import type { Aggregate } from '../../contract/index.ts'
import { decidedRun } from '../../tests/helpers/decided-run.ts'
import { expectGolden } from '../../tests/helpers/golden-file.ts'
import { fixtureDataset, goldenContext, goldenRows, streamOf } from '../../tests/helpers/report-rows.ts'
import { aggregateRun } from './aggregate-run.ts'
import { renderMatrixTable } from './matrix-table.ts'
import { moreQuestions, pointsWords, readVerdictsOf, verdictsOf } from './verdict.ts'

const textOf = (aggregate: Aggregate): string => verdictsOf([aggregate])[0]!.sentences.join(' ')

describe('verdictsOf', () => {
  it('names the winner of two approaches with difference, interval and time', async () => {
    const run = await decidedRun(
      { vanilla: 2, hybrid: 24 },
      { cell: (approach) => ({ latencyMs: approach === 'hybrid' ? 260 : 200 }) },
    )
    expect(verdictsOf([run])[0]).toMatchObject({
      kind: 'winner',
      metric: 'points_covered',
      highest: ['hybrid-rag'],
      better_than: ['vanilla-rag'],
      open_with: [],
    })
    expect(textOf(run)).toMatch(
      /^On Wide \(24 scored questions\), hybrid-rag covers 92 percentage points more of the required points than vanilla-rag \(95 % interval \d+ to \d+\), at 1\.3 × the time\.$/,
    )
  })

  it('names the next best approach where the winner beats several', async () => {
    expect(textOf(await decidedRun({ vanilla: 0, hybrid: 2, agentic: 24 }))).toMatch(
      /agentic-rag covers 92 percentage points more of the required points than hybrid-rag, the next best \(.*\), in the same time\. It is decidedly better than every other approach\.$/,
    )
  })

  it('names what the highest beats, what it does not, and how many questions would decide that', async () => {
    const run = await decidedRun({ vanilla: 2, hybrid: 20, agentic: 24 })
    expect(verdictsOf([run])[0]).toMatchObject({
      kind: 'ahead',
      better_than: ['vanilla-rag'],
      open_with: ['hybrid-rag'],
    })
    expect(textOf(run)).toMatch(
      /agentic-rag covers 92 percentage points more .* than vanilla-rag .*\. agentic-rag is not distinguishable from hybrid-rag: .*\.$/,
    )
  })

  it('names the open pair that needs the fewest more questions, and by the closest of the others what they need', async () => {
    const rules = {
      none: () => false,
      first: (index: number) => index % 3 !== 0,
      half: (index: number) => index % 4 > 1,
      near: (index: number) => index % 5 > 1,
      fewer: (index: number) => index % 7 > 3,
    }
    type Rule = keyof typeof rules
    const openWords = async (hybrid: Rule, adaptive: Rule, fast?: Rule): Promise<string> => {
      const of: Record<string, Rule> = {
        vanilla: 'none',
        agentic: 'first',
        hybrid,
        adaptive,
        hybridFast: fast ?? 'none',
      }
      const text = textOf(
        await decidedRun(
          { vanilla: 0, hybrid: 0, adaptive: 0, agentic: 0, ...(fast === undefined ? {} : { hybridFast: 0 }) },
          { cell: (approach, index) => (rules[of[approach]!](index) ? { answer: 'The answer.' } : {}) },
        ),
      )
      return text.slice(text.indexOf('agentic-rag is not'))
    }
    expect(await openWords('half', 'none')).toBe(
      'agentic-rag is not distinguishable from hybrid-rag: about 391 more questions like these would decide it.',
    )
    expect(await openWords('half', 'fewer')).toBe(
      'agentic-rag is not distinguishable from hybrid-rag and workflow-adaptive-rag: about 81 more questions like these would decide it against workflow-adaptive-rag; against hybrid-rag it would take about 391.',
    )
    expect(await openWords('half', 'near')).toBe(
      'agentic-rag is not distinguishable from workflow-adaptive-rag and hybrid-rag: about 391 more questions like these would decide it against hybrid-rag; against workflow-adaptive-rag it would take more than 50 times as many as this run has.',
    )
    expect(await openWords('near', 'near')).toBe(
      'agentic-rag is not distinguishable from hybrid-rag and workflow-adaptive-rag: the differences are so small that more than 50 times as many questions would be needed to decide any.',
    )
    expect(await openWords('half', 'fewer', 'near')).toBe(
      'agentic-rag is not distinguishable from hybrid-rag-fast, hybrid-rag and workflow-adaptive-rag: about 97 more questions like these would decide it against workflow-adaptive-rag; the closest of the other pairs, against hybrid-rag, would need about 452.',
    )
  })

  it('reports that nothing is decided, which approach is highest, and what would decide it', async () => {
    const names = (approach: string, index: number): boolean =>
      approach === 'agentic' ? index % 3 !== 0 : approach === 'hybrid' ? index % 4 > 1 : index % 5 > 2
    const run = await decidedRun(
      { vanilla: 0, hybrid: 0, agentic: 0 },
      { cell: (approach, index) => (names(approach, index) ? { answer: 'The answer.' } : {}) },
    )
    expect(verdictsOf([run])[0]).toMatchObject({ kind: 'undecided', highest: ['agentic-rag'], better_than: [] })
    expect(textOf(run)).toMatch(
      /^Nothing is decided on Wide \(24 scored questions\): points covered does not distinguish any two of the 3 approaches\. agentic-rag has the highest mean, 0\.67 \[0\.\d\d, 0\.\d\d\], 17 percentage points above hybrid-rag \(95 % interval −?\d+ to \d+\); about [\d\u2009]+ more questions like these would decide it\.$/,
    )
  })

  it('names what is decided where the highest itself beats none', async () => {
    const run = await decidedRun(
      { vanilla: 2, hybrid: 24, agentic: 24 },
      {
        cell: (approach, index) => {
          if (approach === 'agentic' && index > 13) return { failure: { type: 'http_error', message: 'refused' } }
          return approach === 'hybrid' && index === 0 ? { answer: 'Nothing.' } : {}
        },
      },
    )
    expect(verdictsOf([run])[0]).toMatchObject({ kind: 'others', highest: ['agentic-rag'], better_than: [] })
    expect(textOf(run)).toMatch(
      /^On Wide \(24 scored questions\) no approach is decidedly the best\. agentic-rag has the highest mean, 1\.00.* Decided: hybrid-rag is better than vanilla-rag\. agentic-rag failed 10 of 24 cells/,
    )
  })

  it('shares the highest mean between equal approaches', async () => {
    expect(textOf(await decidedRun({ vanilla: 12, hybrid: 12, agentic: 11 }))).toContain(
      'vanilla-rag and hybrid-rag have the highest mean, 0.50',
    )
    expect(textOf(await decidedRun({ vanilla: 12, hybrid: 12 }))).toBe(
      'Nothing is decided on Wide (24 scored questions): points covered does not distinguish the two approaches. All have the same mean, 0.50.',
    )
  })

  it('reports why nothing compares: one approach, too few groups of questions, no required points, no answers', async () => {
    expect(textOf(await decidedRun({ vanilla: 12 }))).toBe(
      'Nothing is decided on Wide: only vanilla-rag was run, so there is nothing to compare it with.',
    )
    const eight = fixtureDataset('eight', 'Eight', 1)
    const few = await aggregateRun(streamOf(goldenRows(eight)), goldenContext(eight))
    expect(textOf(few)).toMatch(
      /^Nothing is decided on Eight: its questions fall into 4 independent groups and intervals need 8/,
    )
    const run = await decidedRun({ vanilla: 12, hybrid: 12 })
    expect(textOf({ ...run, comparisons: { ...run.comparisons!, metrics: [] } })).toContain(
      'no question has gold evidence or answer keys',
    )
    expect(textOf({ ...run, comparisons: null })).toContain('no answer has been compared yet')
  })

  it('names failed cells, and then gives no ratio of times: the cells that answered may be the quick ones', async () => {
    const run = await decidedRun(
      { vanilla: 2, hybrid: 24 },
      {
        cell: (approach, index) =>
          approach === 'hybrid' && index < 3 ? { failure: { type: 'timeout', message: 'too slow' } } : {},
      },
    )
    expect(textOf(run)).toMatch(/hybrid-rag failed 3 of 24 cells, which have no score\.$/)
    expect(textOf(run)).not.toContain('the time')
  })

  it('leaves out an approach that is scored on a few cells, and one that was unavailable, and names both', async () => {
    const run = await decidedRun(
      { vanilla: 2, hybrid: 24, agentic: 24 },
      {
        cell: (approach, index) =>
          approach === 'agentic' && index > 4 ? { failure: { type: 'http_error', message: 'refused' } } : {},
      },
    )
    run.unavailable = [
      {
        model: 'graph-rag',
        base_model: 'graph-rag',
        flavor: null,
        evidence_capability: 'answer_only',
        reason: 'the graph engine is off.',
      },
    ]
    const [verdict] = verdictsOf([run])
    expect(verdict).toMatchObject({ kind: 'winner', highest: ['hybrid-rag'], better_than: ['vanilla-rag'] })
    expect(verdict!.sentences.slice(-2)).toEqual([
      'agentic-rag is left out: it is scored on 5 of 24 cells.',
      'graph-rag was unavailable: the graph engine is off.',
    ])
  })

  const foundBy =
    (share: Record<string, number>, contexts: Record<string, number>) => (approach: string, index: number) => ({
      found: { contexts: contexts[approach]!, recall: index < share[approach]! ? 1 : 0 },
    })

  it('decides on the facts that the contexts hold where questions have gold, and reports who hands over more of them', async () => {
    const cell = foundBy({ vanilla: 4, hybrid: 22 }, { vanilla: 5, hybrid: 9 })
    const run = await decidedRun({ vanilla: 24, hybrid: 0 }, { cell })
    expect(verdictsOf([run])[0]).toMatchObject({ kind: 'winner', metric: 'facts_found', highest: ['hybrid-rag'] })
    expect(textOf(run)).toMatch(
      /hybrid-rag finds 75 percentage points more of the needed facts than vanilla-rag \(95 % interval \d+ to \d+\), with 9\.0 contexts per answer against 5\.0, in the same time\.$/,
    )
    const alike = await decidedRun(
      { vanilla: 24, hybrid: 0 },
      { cell: foundBy({ vanilla: 4, hybrid: 22 }, { vanilla: 5, hybrid: 5 }) },
    )
    expect(textOf(alike)).not.toContain('contexts per answer')
  })

  it('names what an engine reports as used where an approach returns no contexts', async () => {
    const cell = foundBy({ vanilla: 4, graph: 22, hybrid: 1 }, { vanilla: 5, graph: 9, hybrid: 5 })
    expect(textOf(await decidedRun({ vanilla: 0, graph: 0 }, { cell }))).toContain(
      ', with 9.0 passages reported as used per answer against 5.0 contexts,',
    )
    const behind = foundBy({ vanilla: 22, graph: 4 }, { vanilla: 5, graph: 9 })
    expect(textOf(await decidedRun({ vanilla: 0, graph: 0 }, { cell: behind }))).toContain(
      ', with 5.0 contexts per answer against 9.0 passages reported as used,',
    )
  })

  it('decides on the metric that the run declared, and on none where that has no score', async () => {
    const cell = foundBy({ vanilla: 4, hybrid: 22 }, { vanilla: 5, hybrid: 5 })
    const declared = await decidedRun({ vanilla: 24, hybrid: 2 }, { cell, primary: 'points_covered' })
    expect(verdictsOf([declared])[0]).toMatchObject({ metric: 'points_covered', highest: ['vanilla-rag'] })
    const unjudged = await decidedRun({ vanilla: 24, hybrid: 2 }, { cell, primary: 'judge_mean' })
    expect(verdictsOf([unjudged])[0]).toMatchObject({ kind: 'not_comparable', metric: null })
    expect(textOf(unjudged)).toContain('the declared primary metric, judge mean, has no score')
  })

  it('of several rungs counts only what stays decided over all of them', async () => {
    const clear = await decidedRun({ vanilla: 2, hybrid: 24 }, { id: 'first' })
    const faint = await decidedRun({ vanilla: 6, hybrid: 20 }, { id: 'second', rung: 2 })
    expect(verdictsOf([faint])[0]).toMatchObject({ kind: 'winner' })
    const many = await Promise.all(
      [3, 4, 5, 6].map((rung) =>
        decidedRun({ vanilla: 12, hybrid: 13, agentic: 14, adaptive: 13 }, { id: `rung-${rung}`, rung }),
      ),
    )
    const [first, second] = verdictsOf([clear, faint, ...many])
    expect([first, second]).toMatchObject([
      { kind: 'winner', label: 'First' },
      { kind: 'undecided', label: 'Second' },
    ])
    expect(second!.sentences.at(-1)).toMatch(
      /; this rung alone would decide that, the correction over all rungs does not\.$/,
    )
    // The table of the second rung shows "worse", so it says why the sentences do not; a rung that decides nothing has no such line.
    const table = renderMatrixTable([clear, faint, ...many], { columns: 110 })
    const ofSecond = table.slice(table.indexOf('Second'), table.indexOf('Rung-3'))
    expect(ofSecond).toMatch(/−\.\d\d worse/)
    expectGolden('report/rung-decision.txt', ofSecond)
    expect(table.match(/pairs of all\s+rungs as well/g)).toHaveLength(2)
    expect(renderMatrixTable([faint], { columns: 110 })).not.toContain('corrected over its own pairs')
  })
})

describe('readVerdictsOf', () => {
  const partsOf = (aggregate: Aggregate) => {
    const { headline, questions, details } = readVerdictsOf([aggregate])[0]!
    return { headline, questions, details }
  }

  it('sets who is ahead by how much apart from what that rests on, and loses no sentence', async () => {
    const run = await decidedRun(
      { vanilla: 2, hybrid: 20, agentic: 24 },
      { cell: (approach) => ({ latencyMs: approach === 'agentic' ? 260 : 200 }) },
    )
    const { headline, questions, details } = partsOf(run)
    expect(headline).toMatch(
      /^agentic-rag covers 92 percentage points more of the required points than vanilla-rag \(95 % interval \d+ to \d+\)$/,
    )
    expect(questions).toBe('24 scored questions')
    expect(details[0]).toBe('agentic-rag does so at 1.3 × the time.')
    const [first, ...others] = verdictsOf([run])[0]!.sentences
    expect(first).toBe(`On Wide (24 scored questions), ${headline}, at 1.3 × the time.`)
    expect(details.slice(1)).toEqual(others)
  })

  it('starts with what is not decided where no approach is ahead', async () => {
    expect(partsOf(await decidedRun({ vanilla: 12, hybrid: 12 }))).toEqual({
      headline: 'Nothing is decided: points covered does not distinguish the two approaches',
      questions: '24 scored questions',
      details: ['All have the same mean, 0.50.'],
    })
    expect(partsOf(await decidedRun({ vanilla: 12 }))).toEqual({
      headline: 'Nothing is decided',
      questions: null,
      details: ['Only vanilla-rag was run, so there is nothing to compare it with.'],
    })
    const failing = await decidedRun(
      { vanilla: 2, hybrid: 24, agentic: 24 },
      {
        cell: (approach, index) => {
          if (approach === 'agentic' && index > 13) return { failure: { type: 'http_error', message: 'refused' } }
          return approach === 'hybrid' && index === 0 ? { answer: 'Nothing.' } : {}
        },
      },
    )
    const { headline, details } = partsOf(failing)
    expect(headline).toBe('No approach is decidedly the best')
    expect(details).toEqual([
      expect.stringMatching(/^agentic-rag has the highest mean, 1\.00/),
      'Decided: hybrid-rag is better than vanilla-rag.',
      'agentic-rag failed 10 of 24 cells, which have no score.',
    ])
  })
})

describe('moreQuestions', () => {
  const pair = (value: number | null, detectable: number | null) =>
    ({ difference: { value, n: 24 }, smallest_detectable: detectable }) as Parameters<typeof moreQuestions>[0]

  it('grows with the square of the detectable over the observed difference', () => {
    expect(moreQuestions(pair(0.1, 0.2))).toBe(72)
    expect(moreQuestions(pair(-0.1, 0.3))).toBe(192)
    expect(moreQuestions(pair(0.3, 0.2))).toBe(1)
  })

  it('is unknown for equal approaches, and without an error', () => {
    expect([moreQuestions(pair(0, 0.2)), moreQuestions(pair(0.1, null)), moreQuestions(pair(null, 0.2))]).toEqual([
      null,
      null,
      null,
    ])
  })
})

it.each([
  [8.4, '8'],
  [-20.4, '−20'],
  [0.43, '0.4'],
  [-0.3, '−0.3'],
  [0.02, '0'],
  [0, '0'],
])('an end of an interval at %d points reads %s', (points, words) => {
  expect(pointsWords(points)).toBe(words)
})
