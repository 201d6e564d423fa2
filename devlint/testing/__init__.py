"""The spec harness, public: third-party rule packs use it too."""
