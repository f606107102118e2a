import { COMPONENT_WORDS } from './component-words.ts'

const WORDS = COMPONENT_WORDS.experimental

/** The mark of a model that the project never ran on its real weights. */
export function ExperimentalMark() {
  return (
    <span className="dim" title={WORDS.about}>
      {WORDS.mark}
    </span>
  )
}
