import { create } from 'zustand'
import type { TourStep } from '../features/tour/tour-steps.ts'

interface Tour {
  isOpen: boolean
  step: TourStep
  /** The run that the tour started; null before it. */
  run: string | null
  open: () => void
  close: () => void
  goTo: (step: TourStep) => void
  setRun: (run: string) => void
}

/** The first-start tour: a run that it started goes on while it is closed, and it opens again where it was. */
export const useTour = create<Tour>()((set) => ({
  isOpen: false,
  step: 'purpose',
  run: null,
  open: () => set({ isOpen: true }),
  close: () => set(({ step }) => ({ isOpen: false, step: step === 'ask' ? 'purpose' : step })),
  goTo: (step) => set({ step }),
  setRun: (run) => set({ run }),
}))
