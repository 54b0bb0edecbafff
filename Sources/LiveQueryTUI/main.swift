print("livequery")
