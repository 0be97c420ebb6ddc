import { type ReactNode, useEffect, useRef } from 'react'

interface MenuProps {
  readonly title: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** What opens below its title; Escape, a click elsewhere and leaving it by keyboard close it. */
export function Menu({ title, className, children }: MenuProps) {
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const shut = (event: Event) => {
      const { current } = menu
      const isWithin = event.target instanceof Node && current?.contains(event.target)
      if (current?.open && !isWithin) current.open = false
    }
    document.addEventListener('pointerdown', shut)
    document.addEventListener('focusin', shut)
    return () => {
      document.removeEventListener('pointerdown', shut)
      document.removeEventListener('focusin', shut)
    }
  }, [])
  return (
    <details
      ref={menu}
      className={className}
      onKeyDown={(event) => {
        const { current } = menu
        if (event.key !== 'Escape' || !current?.open) return
        // Nothing else closes by this key press.
        event.preventDefault()
        current.open = false
        current.querySelector('summary')?.focus()
      }}
    >
      <summary>{title}</summary>
      <div>{children}</div>
    </details>
  )
}
