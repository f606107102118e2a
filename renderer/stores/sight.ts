import { useRouterState } from '@tanstack/react-router'
import { create } from 'zustand'

interface Sight {
  /** The round on screen has been revealed. */
  revealed: boolean
  setRevealed: (revealed: boolean) => void
}

/** What the judges page knows of its round. */
export const useSight = create<Sight>()((set) => ({
  revealed: false,
  setRevealed: (revealed) => set({ revealed }),
}))

/** Whether nothing that names an approach may be fetched: a person votes, or is about to. */
export function useBlind(): boolean {
  const atJudges = useRouterState({ select: ({ location }) => location.pathname === '/judges' })
  const revealed = useSight((sight) => sight.revealed)
  return atJudges && !revealed
}
