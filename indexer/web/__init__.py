"""The web service: the knowledge base over HTTP, for programs, for browsers, for front ends that know other APIs.

    guard ▶ (who is it, may it, how much) ▶ api/ ▶ facts/, ask, the service's queue
                                          ▶ ui/   the pages

Nothing here is imported unless a web service is wanted: FastAPI alone costs more than a no-change update.
"""
