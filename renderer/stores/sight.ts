import { useRouterState } from '@tanstack/react-router'
import { create } from 'zustand'
import { partOfRun } from '../../core/pages.ts'

interface Sight {
  /** No round on screen takes votes: names may be shown. */
  namesShown: boolean
  setNamesShown: (namesShown: boolean) => void
}

/** Holds what the tab Judges knows of its round. */
export const useSight = create<Sight>()((set) => ({
  namesShown: false,
  setNamesShown: (namesShown) => set({ namesShown }),
}))

/** Returns true when nothing that names an approach may be fetched: a person votes, or it is not known yet whether one does. */
export function useBlind(): boolean {
  const atJudges = useRouterState({
    select: ({ location }) => location.pathname === '/judges' || partOfRun(location.pathname) === 'judges',
  })
  const namesShown = useSight((sight) => sight.namesShown)
  return atJudges && !namesShown
}
