import { describe, expect, it } from 'vitest'
import { approachPath } from './approach-path.ts'

describe('approachPath', () => {
  it('reads route, trajectory, budget and graph counts, and keeps what it does not know', () => {
    expect(
      approachPath({
        adaptive: {
          route: 'multi_hop',
          approach: 'graph-rag',
        },
        trajectory: [
          {
            step: 1,
            tool: 'search',
            arguments: { query: 'gates' },
            result: { passages: 5 },
            error: null,
            seconds: 0.2,
          },
        ],
        relevance_tests: 30,
        relevance_budget: 40,
        graph_chunks: 12,
        cache_hit: true,
        bridges: [
          {
            document: 'a.md',
            chunk_index: 3,
            from: {
              document: 'b.md',
              chunk_index: 0,
            },
            via: ['Kolbrun'],
          },
        ],
        graph: {
          mode: 'hybrid',
          entities: 4,
          relations: null,
        },
        vendor: 'x',
      }),
    ).toEqual({
      route: { route: 'multi_hop', approach: 'graph-rag' },
      steps: [{ step: 1, tool: 'search', argumentsText: '{"query":"gates"}', result: [['passages', 5]] }].map(
        (step) => ({
          ...step,
          error: null,
          seconds: 0.2,
        }),
      ),
      budget: {
        tests: 30,
        budget: 40,
        figures: [
          ['graph chunks', 12],
          ['cache hit', 'true'],
        ],
        bridges: [
          {
            to: 'a.md · chunk 3',
            from: 'b.md · chunk 0',
            via: '["Kolbrun"]',
          },
        ],
      },
      graph: [
        ['mode', 'hybrid'],
        ['entities', 4],
        ['relations', 'unknown'],
      ],
      rest: { vendor: 'x' },
    })
  })

  it('takes nothing on trust', () => {
    expect(approachPath({ adaptive: 'yes', trajectory: [null, 3], relevance_tests: 'many', graph: [] })).toEqual({
      route: null,
      steps: [null, 3].map(() => ({
        step: null,
        tool: 'unnamed tool',
        argumentsText: '',
        result: [],
        error: null,
        seconds: null,
      })),
      budget: null,
      graph: null,
      rest: { adaptive: 'yes', relevance_tests: 'many', graph: [] },
    })
  })
})
