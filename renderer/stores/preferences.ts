import { create } from 'zustand'
import { persist } from 'zustand/middleware'

export type Density = 'comfortable' | 'compact'

interface Preferences {
  density: Density
  setDensity: (density: Density) => void
  /** Hints that were dismissed; they do not come back. */
  dismissed: string[]
  dismiss: (hint: string) => void
}

/** Holds what a person likes, kept in this browser. */
export const usePreferences = create<Preferences>()(
  persist(
    (set) => ({
      density: 'comfortable',
      setDensity: (density) => set({ density }),
      dismissed: [],
      dismiss: (hint) => set(({ dismissed }) => ({ dismissed: [...new Set([...dismissed, hint])] })),
    }),
    { name: 'rag-ladder-preferences' },
  ),
)
