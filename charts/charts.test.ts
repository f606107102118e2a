import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { APPROACHES } from '../contract/approaches.ts'
import { closeAxis, countAxis, logTimeAxis, wholeAxis } from './axis.ts'
import { CoverageBar } from './coverage.ts'
import { Frontier } from './frontier.ts'
import { HopMultiples } from './hop-multiples.ts'
import { LadderCurve } from './ladder-curve.ts'
import { loadExperiment } from '../main/manifests/experiment.ts'
import { PROJECT_ROOT } from '../tests/helpers/project-root.ts'
import { type Look, lookOf, looksOf, markerPaths } from './look.ts'

const labels = ({ ticks }: ReturnType<typeof closeAxis>): string[] => ticks.map(({ label }) => label)

describe('axes', () => {
  it('a whole axis is the same whatever its values, and longer where a score is below 0', () => {
    expect(labels(wholeAxis('x', 'score', [0.4, 0.5]))).toEqual(['0', '0.25', '0.5', '0.75', '1'])
    expect(labels(wholeAxis('x', 'grade', []))).toEqual(['1', '2', '3', '4', '5'])
    expect(labels(wholeAxis('x', 'score', [-0.2]))[0]).toBe('−0.5')
  })

  it('a close axis holds all values', () => {
    const axis = closeAxis('x', [0.42, 0.61])
    expect(labels(axis)).toEqual(['0.40', '0.45', '0.50', '0.55', '0.60', '0.65'])
    expect(axis.share(0.4)).toBe(0)
    expect(axis.share(0.65)).toBe(1)
  })

  it('a close axis of scores ends at 1, beyond which no score is', () => {
    expect(labels(closeAxis('x', [1, 1]))).toEqual(['0.95', '1.00'])
    expect(labels(closeAxis('x', [0.97, 1]))).toEqual(['0.95', '1.00'])
    expect(labels(closeAxis('x', [3, 4])).at(-1)).toBe('4.50')
  })

  it('durations are marked in steps that multiply, counts from 0', () => {
    expect(labels(logTimeAxis('x', [12, 800]))).toEqual([
      '10 ms',
      '20 ms',
      '50 ms',
      '100 ms',
      '200 ms',
      '500 ms',
      '1 s',
    ])
    expect(labels(countAxis('x', [0, 3]))).toEqual(['0', '1', '2', '3', '4'])
  })
})

describe('looks', () => {
  it('flavors have the colour and marker of their approach, a sign in a hollow marker and dashes of their own', () => {
    const looks = looksOf(['hybrid-rag', 'hybrid-rag-fast', 'hybrid-rag-wide'].map((model) => ({ model })))
    const [base, fast, wide] = [...looks.values()]
    expect([base!.sign, base!.dash]).toEqual([null, null])
    expect([fast!.colour, fast!.marker, fast!.short]).toEqual([base!.colour, base!.marker, 'hybrid fast'])
    expect(fast!.sign).not.toBe(wide!.sign)
    expect(fast!.dash).not.toBe(wide!.dash)
  })

  it('no two declared aliases look the same, whether one or all of them are shown', async () => {
    const declared = await loadExperiment(PROJECT_ROOT)
    const aliases = [...declared.aliases.values()].map(({ alias: model, base: base_model }) => ({ model, base_model }))
    const looks = looksOf(aliases)
    const drawn = (look: Look): string => JSON.stringify([markerPaths(look), look.dash])
    expect(new Set(aliases.map(({ model }) => drawn(looks.get(model)!))).size).toBe(aliases.length)
    for (const { model, base_model } of aliases) expect(looks.get(model)).toEqual(lookOf(model, base_model))
  })

  it('two flavors whose names give the same sign have different ones in one chart, in whatever order they come', () => {
    const names = Array.from({ length: 5 }, (_, index) => `vanilla-rag-own-${index}`)
    const looks = looksOf(names.map((model) => ({ model })))
    expect(new Set([...looks.values()].map(({ sign }) => sign)).size).toBe(names.length)
    const turned = looksOf(names.toReversed().map((model) => ({ model })))
    for (const name of names) expect(turned.get(name)).toEqual(looks.get(name))
  })

  it('the keyword baseline is no flavor of hybrid by its name', () =>
    expect(lookOf('bm25', 'hybrid-rag').short).toBe('bm25'))

  it('the keyword baseline has a colour of its own, so that its bars differ from those of every approach', () => {
    const { colour } = lookOf('bm25', 'hybrid-rag')
    expect(Object.keys(APPROACHES).map((model) => lookOf(model).colour)).not.toContain(colour)
  })

  it('an undeclared approach keeps its name', () => expect(lookOf('other').short).toBe('other'))
})

const look = lookOf('vanilla-rag')
const axis = wholeAxis('mean recall@5', 'score', [])

describe('charts are drawn without a browser', () => {
  it('the ladder curve joins neighbouring rungs, and leaves a gap where a score is missing or thin', () => {
    const point = (mean: number, thin: string | null = null) => ({
      mean,
      interval: { low: mean - 0.1, high: mean + 0.1 },
      title: `t${mean}`,
      thin,
    })
    const markup = renderToStaticMarkup(
      createElement(LadderCurve, {
        width: 600,
        title: 'recall@5 up the ladder',
        rungs: [1, 2, 3, 4].map((rung) => ({ number: `rung ${rung}`, label: 'Some long label of a dataset' })),
        series: [{ look, points: [point(0.25), point(0.5), null, point(0.75, '3/24')] }],
        y: axis,
      }),
    )
    expect(markup).toMatch(/^<svg role="img" [^>]*><title>recall@5 up the ladder<\/title>/)
    expect(markup.match(/recharts-curve/g)).toHaveLength(1)
    for (const text of ['t0.25', '3/24', 'rung 4', 'vanilla', 'mean recall@5', '0.75']) expect(markup).toContain(text)
    expect(markup).not.toContain('style=')
  })

  it('small plots by hops show each approach once in front, with its means beside the markers and a gap for none', () => {
    const looks = looksOf([{ model: 'graph-rag' }, { model: 'agentic-rag' }])
    const point = (mean: number, thin = false) => ({ mean, written: mean.toFixed(2), title: `${mean}`, thin })
    const svg = renderToStaticMarkup(
      createElement(HopMultiples, {
        width: 500,
        title: 'facts found by hops',
        hops: ['1 hop', '2 hops'],
        series: [
          { look: looks.get('graph-rag')!, points: [point(0.9), point(0.5, true)] },
          { look: looks.get('agentic-rag')!, points: [null, point(0.7)] },
        ],
        y: wholeAxis('facts found', 'score', [0.9]),
      }),
    )
    for (const written of ['0.90', '0.50', '0.70']) expect(svg.split(`>${written}<`)).toHaveLength(2)
    expect(svg.match(/stroke-width="2"/g)).toHaveLength(2)
    expect(svg.match(/opacity="0.45"/g)).toHaveLength(1)
    expect(svg.match(/>1 hop</g)).toHaveLength(2)
  })

  it('the frontier names who is not beaten, and draws each point with its words', () => {
    const points = [
      { model: 'a', look, cost: 10, quality: 0.4, interval: null, title: 'a: 0.40' },
      { model: 'b', look, cost: 20, quality: 0.2, interval: null, title: 'b: 0.20' },
    ]
    const markup = renderToStaticMarkup(
      createElement(Frontier, {
        width: 600,
        title: 'x',
        points,
        better: 'higher',
        x: countAxis('tokens', [10, 20]),
        y: axis,
      }),
    )
    expect(markup).toContain('Not beaten in both by any other: a.')
    expect(markup).toContain('<title>b: 0.20</title>')
    expect(markup).toContain('tokens')
  })

  it('a coverage bar has a part for every state with cells, as wide as their number', () => {
    const counts = { scored: 6, errors: 0, timeouts: 1, unevaluable: 3, disabled: 0, not_run: 0, missing: 0 }
    const markup = renderToStaticMarkup(
      createElement(CoverageBar, {
        counts,
        colour: 'red',
        hatch: 'h',
        x: 0,
        y: 0,
        height: 8,
        pixelsPerCell: 10,
        title: (part, cells) => `${part} ${cells}`,
      }),
    )
    expect(markup.match(/<title>[^<]*/g)).toEqual(['<title>scored 6', '<title>timeouts 1', '<title>unevaluable 3'])
    expect(markup.match(/ width="\d+"/g)).toEqual([' width="60"', ' width="10"', ' width="30"'])
    expect(markup).toContain('url(#h)')
  })
})
