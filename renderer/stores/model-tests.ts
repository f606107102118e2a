import { create } from 'zustand'
import type { ModelTest } from '../../contract/control/models.ts'

interface ModelTests {
  /** The last test of each connection, by its name. */
  tests: Readonly<Record<string, ModelTest>>
  /** The connection that was tested last. */
  last: string | null
  keep: (name: string, test: ModelTest) => void
  /** The connection was changed or removed: its test says nothing of it any more. */
  forget: (name: string) => void
}

/** Keeps tests of connections until the panel is loaded again. */
export const useModelTests = create<ModelTests>()((change) => ({
  tests: {},
  last: null,
  keep: (name, test) => change(({ tests }) => ({ tests: { ...tests, [name]: test }, last: name })),
  forget: (name) =>
    change(({ tests: { [name]: _before, ...tests }, last }) => ({ tests, last: last === name ? null : last })),
}))
