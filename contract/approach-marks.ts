import type { BaseApproach } from './common.ts'

export type ApproachMarker = 'square' | 'circle' | 'diamond' | 'triangle' | 'pentagon' | 'cross' | 'hexagon'

/**
 * Colour and marker of each approach in pages, reports and terminal alike: never colour alone. The colours are Okabe and Ito's, which hold for
 * colour-blind eyes; yellow is darkened.
 */
export const APPROACH_MARKS = {
  'vanilla-rag': { colour: '#0072B2', marker: 'square' },
  'hybrid-rag': { colour: '#E69F00', marker: 'circle' },
  'contextual-rag': { colour: '#009E73', marker: 'diamond' },
  'graph-rag': { colour: '#CC79A7', marker: 'triangle' },
  'agentic-rag': { colour: '#D55E00', marker: 'pentagon' },
  'workflow-adaptive-rag': { colour: '#56B4E9', marker: 'cross' },
  'lazy-graph-rag': { colour: '#8F7700', marker: 'hexagon' },
} as const satisfies Record<BaseApproach, { colour: string; marker: ApproachMarker }>
